#pragma once

/// Loopback, and the network of QEMU's user mode (10.0.2.0/24) where the computer has a card.
/// @param port a port of loopback that callers from outside reach at 10.0.2.15, port 1; 0 for none. They arrive as
/// callers of this computer: the host forwards from its own loopback alone.
void startNetwork(int port);
