/** Of every card that shows a camera's pictures. */
export const pictureMessages = {
  picture: {
    pace: 'Pictures per second',
    pause: 'Pause',
    perSecond: '/s',
    save: 'Save picture',
    waiting: 'Waiting for the first picture.',
    paused: 'Paused before the first picture.',
    notDrawn: '{format} cannot be shown here. You can save the picture.',
    damaged: 'This picture is damaged and cannot be shown.',
    linkLost: 'no connection to the machine',
    rate: 'rate',
    states: { live: 'live', old: 'old picture', none: 'no picture', paused: 'paused', waiting: 'waiting' },
  },
} as const;

/** Sentences of this folder alone. */
export const cameraMessages = {
  ...pictureMessages,
  camera: {
    picture: 'Picture of {name}',
    source: 'Source',
    noPicture: 'the camera sent no picture',
    failed: 'No picture: {reason}',
    failing: 'No new picture since {time}: {reason}',
    size: 'size',
    pixelSize: '{width} × {height}',
    pixels: 'px',
    format: 'format',
  },
} as const;
