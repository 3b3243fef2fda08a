import type { Board } from '../apis/board.ts';
import type { Encoder } from '../apis/encoder.ts';
import type { Generic } from '../apis/generic.ts';
import type { Motor } from '../apis/motor.ts';
import type { Sensor } from '../apis/sensor.ts';
import type { Servo } from '../apis/servo.ts';

/** What the program knows by itself: the resource of each API. */
export interface BuiltinResources {
  'core:component:board': Board;
  'core:component:motor': Motor;
  'core:component:encoder': Encoder;
  'core:component:servo': Servo;
  'core:component:sensor': Sensor;
  'core:component:generic': Generic;
  'core:service:generic': Generic;
}

export type BuiltinApi = keyof BuiltinResources;

/**
 * What an author writes of a resource. Its name is the context's, `close` is there where something has to be let go, and
 * the end of a board (`closed`) is told by the SDK.
 */
export type Authored<R> = Omit<R, 'name' | 'close' | 'closed'> & {
  readonly name?: string;
  close?(): Promise<void> | void;
};

/** A dependency as a module uses it: the resource itself, which lives in the machine and is not the module's to close. */
export type Dependency<R> = Omit<R, 'close'>;
