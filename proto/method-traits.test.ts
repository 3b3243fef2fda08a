import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it, test } from 'vitest';
import { fileDescriptorSet } from './gen/descriptors.ts';
import { traitsOfMethods } from './gen/method-traits.ts';
import { methodTraits, type MethodTraits } from './method-traits.ts';

const files = fromBinary(FileDescriptorSetSchema, Buffer.from(fileDescriptorSet, 'base64')).file;
const services = files.flatMap((file) =>
  file.service.map((service) => [`${file.package}.${service.name}`, service] as const),
);
/** `Service/Method` of every method of which this is true. */
const having = (test: (traits: MethodTraits) => boolean): readonly string[] =>
  Object.entries(traitsOfMethods).flatMap(([service, methods]) =>
    Object.entries(methods)
      .filter(([, traits]) => test(traits))
      .map(([name]) => `${service}/${name}`),
  );
const moving = (service: string) =>
  having(({ moves }) => moves === true).filter((path) => path.startsWith(`${service}/`));

test('every method of our files has traits, and those alone', () => {
  const inFiles = services.map(([name, { method }]) => [name, method.map((one) => one.name)]);
  expect(inFiles.length).toBeGreaterThan(40);
  expect(Object.entries(traitsOfMethods).map(([name, methods]) => [name, Object.keys(methods)])).toEqual(inFiles);
});

test('every stream says how long it may last, and nothing else does', () => {
  const streams = services.flatMap(([name, { method }]) =>
    method.filter((one) => one.clientStreaming || one.serverStreaming).map((one) => `${name}/${one.name}`),
  );
  expect(streams.length).toBeGreaterThan(20);
  expect(having(({ duration }) => duration !== undefined)).toEqual(streams);
});

/** What clients of the public ecosystem take to be so: their sessions send heartbeats for these calls. */
test.each([
  ['motor.v1.MotorService', ['SetPower', 'GoFor', 'GoTo', 'SetRPM']],
  ['servo.v1.ServoService', ['Move']],
  ['switch.v1.SwitchService', ['SetPosition']],
  ['button.v1.ButtonService', ['Push']],
  ['gripper.v1.GripperService', ['Open', 'Grab', 'GoToInputs']],
  [
    'arm.v1.ArmService',
    ['MoveToPosition', 'MoveToJointPositions', 'MoveThroughJointPositions', 'MoveThroughJointPositionsStreamed'],
  ],
  ['base.v1.BaseService', ['MoveStraight', 'Spin', 'SetPower', 'SetVelocity']],
  ['gantry.v1.GantryService', ['MoveToPosition']],
  ['board.v1.BoardService', []],
])('%s: the calls that start motion move, no others', (service, names) => {
  const fullName = `core.component.${service}`;
  expect(moving(fullName)).toEqual(names.map((name) => `${fullName}/${name}`));
});

test('what strangers may call is short, and what runs programs, fills disks or is for a machine is closed to everybody without proof', () => {
  expect(having(({ withoutProof }) => withoutProof === 'anywhere')).toEqual([
    'grpc.health.v1.Health/Check',
    'grpc.health.v1.Health/Watch',
    'proto.rpc.v1.AuthService/Authenticate',
  ]);
  expect(new Set(having(({ withoutProof }) => withoutProof === 'never').map((path) => path.split('/')[0]))).toEqual(
    new Set([
      'core.robot.v1.RobotService',
      'core.service.datamanager.v1.DataManagerService',
      'core.service.shell.v1.ShellService',
      'proto.rpc.webrtc.v1.SignalingService',
    ]),
  );
});

describe('a method that no file of ours has', () => {
  it.each([
    ['of an API that a module brings', 'acme.gizmo.v1.GizmoService', 'machine.operate'],
    ['of a newer API for resources', 'core.component.brandnew.v1.BrandNewService', 'machine.operate'],
    ['of a newer service of ours', 'core.brandnew.v1.BrandNewService', 'machine.administer'],
    ['that a newer version of a service of ours has', 'core.robot.v1.RobotService', 'machine.administer'],
  ])('%s', (_title, service, needs) => {
    expect(methodTraits(service, 'BrandNew')).toEqual({ needs });
  });
});
