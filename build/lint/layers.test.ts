import { describe, expect, it } from 'vitest';
import { problemOf } from './layers.js';

describe('the direction of imports', () => {
  it.each([
    ['src-main/base/x.ts', '../rpc/call.ts'],
    ['src-main/rpc/x.ts', '../machine/machine.ts'],
    ['src-main/machine/graph/x.ts', '../../hub/fleet/x.ts'],
    ['src-main/hub/x.ts', '../machine/machine.ts'],
    ['src-main/hub/x.ts', '../apis/motor.ts'],
    ['src-renderer/app/x.ts', '../../src-main/base/errors.ts'],
    ['proto/config/x.ts', '../../src-main/base/errors.ts'],
    ['src-main/app/station.ts', '../server.ts'],
    ['src-main/machine/models/x/schema.ts', '../../../base/errors.ts'],
    ['src-main/machine/models/x/schema.ts', './build.ts'],
    ['src-main/machine/models/x/rules.ts', '../model.ts'],
    ['src-main/machine/models/wiring/x.ts', '../x/build.ts'],
    ['src-renderer/shared/x.ts', '../../src-main/machine/models/x/build.ts'],
    ['src-main/hub/x.ts', '../machine/models/x/schema.ts'],
    ['proto/config/x.ts', '../../src-main/machine/models/x/schema.ts'],
    ['src-main/machine/x.ts', 'electron'],
    ['src-main/machine/x.ts', 'vue'],
    ['src-main/rpc/grpc.ts', '@grpc/grpc-js'],
  ])('refuses %s importing %s', (from, specifier) => {
    expect(problemOf(from, specifier)).toBeTypeOf('string');
  });

  it.each([
    ['src-main/machine/graph/x.ts', '../../apis/motor.ts'],
    ['src-main/machine/graph/x.ts', '../config/plan.ts'],
    ['src-main/machine/models/x/schema.ts', '../../../../proto/config/json-schema.ts'],
    ['src-main/machine/models/x/schema.ts', './rules.ts'],
    ['src-main/machine/models/x/build.ts', './schema.ts'],
    ['src-main/machine/models/wiring/x.ts', '../x/schema.ts'],
    ['src-renderer/features/configure/x.ts', '../../../src-main/machine/models/wiring/x.ts'],
    ['src-main/hub/x.ts', '../../proto/gen/core/app/v1/robot.ts'],
    ['src-main/server.ts', './app/station.ts'],
    ['src-main/app/desktop/window.ts', 'electron'],
    ['src-main/rpc/grpc.int.test.ts', '@grpc/grpc-js'],
    ['src-renderer/features/control/x.ts', '../../../proto/gen/core/robot/v1/robot.ts'],
  ])('allows %s importing %s', (from, specifier) => {
    expect(problemOf(from, specifier)).toBeUndefined();
  });
});
