/** Exposes the public SDK to the test, which drives it from outside the page. */
import * as sdk from '@viamrobotics/sdk';

(globalThis as { sdk?: typeof sdk }).sdk = sdk;
