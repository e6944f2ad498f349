"""The ways in which something can't be done now, or ever."""


class Unavailable(Exception):
    """The outside did not answer, or asks us to come again: a time-out, 429, 5xx, aborted."""


class Refused(Exception):
    """The outside said no for good. The message is a constant, never what was sent."""


class Gone(Refused):
    """There is nobody to push to: we have left the chat, or there is no such chat."""


class OverQuota(Refused):
    """LINE pushes no more in this month."""


class Withheld(Refused):
    """The model's own filters stopped a prompt or an answer; asking again gives the same."""


class Busy(Exception):
    """Another delivery of the same work is at it; come again."""
