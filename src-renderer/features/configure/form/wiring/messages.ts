/** Sentences of fields about wires and readings; see `app/messages/en.ts`. */
export const wiringFieldMessages = {
  reading: {
    pick: 'Pick a reading',
    now: 'is {value} now',
    notBoolean: 'is {value}, neither true nor false',
    noSensor: 'Choose the sensor first to list its readings.',
    notReady: 'Readings are listed when {name} is applied and ready. You can also type a name.',
    failed: 'The readings of {name} cannot be read: {reason}',
    allows: 'Now it is true: maintenance is allowed.',
    forbids: 'Now it is {value}: updates wait.',
    missing: '{name} has no such reading now: updates wait.',
  },
  pin: {
    placeholder: 'Pin',
    onPin: 'pin {pin}',
    interrupt: 'interrupt {name}',
    line: 'line {line}',
    motor: 'simulated {number} · {key}',
    encoder: 'simulated {number} · encoder {channel}',
  },
  driver: {
    pwmDir: { title: 'PWM / DIR', meaning: 'one speed pin, one direction pin' },
    inputs: { title: 'In1 / In2', meaning: 'speed on one or both inputs' },
    inputsPwm: { title: 'In1 / In2 + PWM', meaning: 'two direction pins, one speed pin' },
    choose: 'Choose how the driver is wired; then its pins.',
    repair: 'These pins match no driver. Choose how it is wired: pins that it does not have are removed.',
    counts: 'Until {pin} has a pin, the driver is treated as {style}.',
    more: 'More pins',
    enable: 'Enable pin',
    level: { none: 'none', high: 'works when high', low: 'works when low' },
  },
} as const;
