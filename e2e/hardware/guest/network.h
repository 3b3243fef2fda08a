#pragma once

/// Sets up loopback, and the network of QEMU's user mode (10.0.2.0/24) where the computer has a network card.
/// @param port a port of loopback that callers from outside reach at 10.0.2.15, port 1; 0 for none. They appear as
/// local callers: the host forwards only from its own loopback.
void startNetwork(int port);
