/** Sentences of this folder alone. */
export const cameraMessages = {
  camera: {
    picture: 'Picture of {name}',
    pace: 'Pictures per second',
    pause: 'Pause',
    perSecond: '{rate}/s',
    source: 'Source',
    save: 'Save picture',
    waiting: 'Waiting for the first picture.',
    noPicture: 'the camera sent no picture',
    paused: 'Paused before the first picture.',
    notDrawn: 'The window cannot show {format}. The picture can be saved.',
    damaged: 'This picture is damaged: the window cannot show it.',
    failed: 'No picture: {reason}',
    failing: 'No new picture since {time}: {reason}',
    linkLost: 'the link to the machine is lost',
    size: '{width} × {height}',
    shown: '{rate} shown per second',
    age: '{age} old',
    states: { live: 'live', old: 'old picture', none: 'no picture', paused: 'paused', waiting: 'waiting' },
  },
} as const;
