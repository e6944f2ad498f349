"""The outside world on one machine: loopback servers, the emulator, a chat and stories."""
