import { describe, expect, it } from 'vitest';
import {
  aliasPath,
  canonicalPath,
  dialectOfPath,
  environmentEntries,
  environmentVariable,
  namespaceIn,
  protoNameIn,
  sentenceIn,
  tripletIn,
} from './dialect.ts';

describe('the two spellings of our names', () => {
  it('maps method paths both ways and leaves foreign ones alone', () => {
    expect(canonicalPath('/viam.robot.v1.RobotService/StopAll')).toBe('/core.robot.v1.RobotService/StopAll');
    expect(aliasPath('/core.robot.v1.RobotService/StopAll')).toBe('/viam.robot.v1.RobotService/StopAll');
    expect(canonicalPath('/proto.rpc.v1.AuthService/Authenticate')).toBe('/proto.rpc.v1.AuthService/Authenticate');
    expect(aliasPath('/acme.gizmo.v1.GizmoService/Do')).toBe('/acme.gizmo.v1.GizmoService/Do');
  });

  it('lets the path of a call decide its dialect', () => {
    expect(dialectOfPath('/core.robot.v1.RobotService/StopAll')).toBe('core');
    expect(dialectOfPath('/viam.robot.v1.RobotService/StopAll')).toBe('viam');
  });

  it('maps names inside payloads, and only the namespace', () => {
    expect(tripletIn('core:component:motor/core', 'viam')).toBe('rdk:component:motor/core');
    expect(tripletIn('rdk:builtin:gpio', 'core')).toBe('core:builtin:gpio');
    expect(tripletIn('acme:gizmo:fast', 'viam')).toBe('acme:gizmo:fast');
    expect(namespaceIn('core', 'viam')).toBe('rdk');
    expect(namespaceIn('acme', 'viam')).toBe('acme');
    expect(protoNameIn('core.common.v1.Pose', 'viam')).toBe('viam.common.v1.Pose');
    expect(protoNameIn('grpc.health.v1.Health', 'viam')).toBe('grpc.health.v1.Health');
  });

  it('maps names inside sentences for those who have the other spelling, and nothing else', () => {
    const text =
      'no core:component:motor/core of core:builtin:gpio in core.component.motor.v1.MotorService; score: core';
    expect(sentenceIn(text, 'core')).toBe(text);
    expect(sentenceIn(text, 'viam')).toBe(
      'no rdk:component:motor/core of rdk:builtin:gpio in viam.component.motor.v1.MotorService; score: core',
    );
  });

  it('prefers our own variable and offers both to children', () => {
    expect(environmentVariable('HOME', { SVC_HOME: 'a', VIAM_HOME: 'b' })).toBe('a');
    expect(environmentVariable('HOME', { VIAM_HOME: 'b' })).toBe('b');
    expect(environmentEntries('HOME', 'x')).toEqual({ SVC_HOME: 'x', VIAM_HOME: 'x' });
  });
});
