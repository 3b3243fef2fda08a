import { expect, test } from 'vitest';
import { ArmServiceDefinition } from './gen/core/component/arm/v1/arm.ts';
import { BaseServiceDefinition } from './gen/core/component/base/v1/base.ts';
import { BoardServiceDefinition } from './gen/core/component/board/v1/board.ts';
import { ButtonServiceDefinition } from './gen/core/component/button/v1/button.ts';
import { GantryServiceDefinition } from './gen/core/component/gantry/v1/gantry.ts';
import { GripperServiceDefinition } from './gen/core/component/gripper/v1/gripper.ts';
import { MotorServiceDefinition } from './gen/core/component/motor/v1/motor.ts';
import { ServoServiceDefinition } from './gen/core/component/servo/v1/servo.ts';
import { SwitchServiceDefinition } from './gen/core/component/switch/v1/switch.ts';
import { isSafetyMonitored, type ServiceDefinition } from './method-options.ts';

const monitored = (service: ServiceDefinition) =>
  Object.values(service.methods)
    .filter(isSafetyMonitored)
    .map((method) => method.name);

/** The list at the end of contract 2.2. */
test.each<[ServiceDefinition, string[]]>([
  [MotorServiceDefinition, ['SetPower', 'GoFor', 'GoTo', 'SetRPM']],
  [ServoServiceDefinition, ['Move']],
  [SwitchServiceDefinition, ['SetPosition']],
  [ButtonServiceDefinition, ['Push']],
  [GripperServiceDefinition, ['Open', 'Grab', 'GoToInputs']],
  [
    ArmServiceDefinition,
    ['MoveToPosition', 'MoveToJointPositions', 'MoveThroughJointPositions', 'MoveThroughJointPositionsStreamed'],
  ],
  [BaseServiceDefinition, ['MoveStraight', 'Spin', 'SetPower', 'SetVelocity']],
  [GantryServiceDefinition, ['MoveToPosition']],
  [BoardServiceDefinition, []],
])('$fullName: the calls that start motion are monitored, no others', (service, names) => {
  expect(monitored(service)).toEqual(names);
});

test('an option that is there but false is false', () => {
  expect(isSafetyMonitored({ options: { _unknownFields: { 674080: [Uint8Array.of(0)] } } })).toBe(false);
});
