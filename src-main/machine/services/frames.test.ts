import { describe, expect, it } from 'vitest';
import { frameHandlers } from './frames.ts';
import { callFixture, isMoving } from '../sessions/call.fixture.ts';

const here = { x: 0, y: 0, z: 0, oX: 0, oY: 0, oZ: 1, theta: 0 };
const somewhere = { x: 1, y: 2, z: 3, oX: 0, oY: 1, oZ: 0, theta: 90 };
const transform = { referenceFrame: 'own', poseInObserverFrame: undefined, uuid: new Uint8Array() };
const call = callFixture(isMoving, '');
const frames = frameHandlers(() => ['arm', 'camera']);

describe('frames, while no component has one', () => {
  it('are none in the frame system', () => {
    expect(frames.frameSystemConfig({ supplementalTransforms: [] }, call)).toEqual({ frameSystemConfigs: [] });
  });

  it.each([
    ['arm', '', 'world'],
    ['arm', 'world', 'world'],
    ['world', 'arm', 'arm'],
    ['arm', 'camera', 'camera'],
  ])('of %s in "%s" are where the world is', (componentName, destinationFrame, referenceFrame) => {
    expect(frames.getPose({ componentName, destinationFrame, supplementalTransforms: [] }, call)).toEqual({
      pose: { referenceFrame, pose: here },
    });
  });

  it('leave poses and point clouds as they are', () => {
    const source = { referenceFrame: 'arm', pose: somewhere };
    expect(frames.transformPose({ source, destination: '', supplementalTransforms: [] }, call)).toEqual({
      pose: { referenceFrame: 'world', pose: somewhere },
    });
    const pointCloudPcd = new Uint8Array([1, 2, 3]);
    expect(frames.transformPCD({ pointCloudPcd, source: 'camera', destination: 'world' }, call)).toEqual({
      pointCloudPcd,
    });
  });

  it('that are not there are named, and those that a call brings are refused: never a wrong pose', () => {
    const ask = (componentName: string, destinationFrame: string, supplementalTransforms: (typeof transform)[] = []) =>
      frames.getPose({ componentName, destinationFrame, supplementalTransforms }, call);
    expect(() => ask('nobody', 'world')).toThrow(expect.objectContaining({ code: 'call.not_found' }) as Error);
    expect(() => ask('arm', 'nowhere')).toThrow(/no frame "nowhere"/);
    expect(() => ask('arm', 'world', [transform])).toThrow(
      expect.objectContaining({ code: 'call.unimplemented' }) as Error,
    );
  });
});
