import { describe, expect, it } from 'vitest';
import { chooseMode, formatsIn } from './device-formats.ts';

const webcam = `
ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000-2026 the FFmpeg developers
[video4linux2,v4l2 @ 0x56259b9ea440] Raw       :     yuyv422 :           YUYV 4:2:2 : 640x480 1280x720 320x240
[video4linux2,v4l2 @ 0x56259b9ea440] Compressed:       mjpeg :          Motion-JPEG : 1920x1080 1280x720 640x360
[video4linux2,v4l2 @ 0x56259b9ea440] Compressed:        h264 :                H.264 : 1920x1080
[video4linux2,v4l2 @ 0x56259b9ea440] Raw       : Unsupported :           YVYU 4:2:2 : 160x120
/dev/video0: Immediate exit requested
`;
const module = '[video4linux2,v4l2 @ 0x1] Raw       :     yuv420p :     Planar YUV 4:2:0 : {32-2592, 2}x{32-1944, 2}';
const silent = '[video4linux2,v4l2 @ 0x1] Raw       :     yuyv422 :           YUYV 4:2:2 :';

describe('the formats of a device', () => {
  it('are those that can be read as pictures, with their sizes', () => {
    expect(formatsIn(webcam).map(({ name, sizes }) => [name, sizes.length])).toEqual([
      ['yuyv422', 3],
      ['mjpeg', 3],
    ]);
    expect(formatsIn(module)).toEqual([
      {
        name: 'yuv420p',
        sizes: [],
        range: {
          least: { width: 32, height: 32 },
          most: { width: 2592, height: 1944 },
          step: { width: 2, height: 2 },
        },
      },
    ]);
    expect(formatsIn(silent)).toEqual([{ name: 'yuyv422', sizes: [] }]);
    expect(formatsIn('/dev/video0: Device or resource busy')).toEqual([]);
  });
});

describe('the mode of a device', () => {
  const mode = (text: string, wanted: Parameters<typeof chooseMode>[1]) => {
    const { name, size } = chooseMode(formatsIn(text), wanted);
    return size === undefined ? name : `${name} ${size.width}x${size.height}`;
  };

  it('is MJPEG where it can be, in the size next to the usual one', () => {
    expect(mode(webcam, {})).toBe('mjpeg 640x360');
    expect(mode(webcam, { width: 0, height: 0 })).toBe('mjpeg 640x360');
    expect(mode(webcam, { height: 1080 })).toBe('mjpeg 1920x1080');
    expect(mode(webcam, { format: 'YUY2' })).toBe('yuyv422 640x480');
  });

  it('is another format where only that has the size', () => {
    expect(mode(webcam, { width: 320, height: 240 })).toBe('yuyv422 320x240');
  });

  it('may be any size of a range, in its steps', () => {
    expect(mode(module, {})).toBe('yuv420p 640x480');
    expect(mode(module, { width: 1000 })).toBe('yuv420p 1000x480');
    expect(() => mode(module, { width: 1001 })).toThrow('it offers 32 × 32 to 2592 × 1944 (I420)');
  });

  it('is left to the device that tells no sizes', () => {
    expect(mode(silent, {})).toBe('yuyv422');
    expect(mode(silent, { width: 640 })).toBe('yuyv422');
    expect(mode(silent, { width: 640, height: 480 })).toBe('yuyv422 640x480');
  });

  it('is refused with what there is', () => {
    expect(() => mode(webcam, { format: 'NV12' })).toThrow('does not offer "format" NV12; it offers MJPEG, YUY2');
    expect(() => mode(webcam, { format: 'MJPEG', width: 320 })).toThrow(
      'does not offer "width_px" 320 with "height_px" any; it offers 1920 × 1080, 1280 × 720, 640 × 360 (MJPEG)',
    );
  });
});
