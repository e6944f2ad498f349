"""What an answer costs, however much is remembered."""

from benchmarks.board import answer_cost


def test_what_holds_no_longer_or_is_elsewhere_costs_nothing(firestore):
    """
    With ten facts on the board an answer reads as much as with hundreds more behind it: one read.
    """
    alone = answer_cost(firestore, board=10)
    beside = answer_cost(firestore, board=10, over=300, elsewhere=300)

    assert 1 == alone["reads"] == beside["reads"]
    # A moment is sometimes a byte or two shorter than another.
    assert abs(alone["bytes_read"] - beside["bytes_read"]) <= 8


def test_what_does_not_fit_costs_what_is_recalled(firestore):
    """
    Beyond the board it is one read for the conversation, one for each fact found, and one for each
    hundred vectors compared; and no vector is among the bytes.
    """
    bill = answer_cost(firestore, board=300)

    assert 1 + 40 + 3 == bill["reads"]
    assert bill["bytes_read"] < 50_000
