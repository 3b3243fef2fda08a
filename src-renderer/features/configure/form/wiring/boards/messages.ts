/** Sentences of the wiring pictures; loaded with what says them. */
export const wiringMessages = {
  wiring: {
    board: 'Driver board',
    none: 'none',
    hint: 'Shows how to wire it. Not part of the configuration.',
    title: 'Wiring of {board}',
    caption: 'Wires between the board and {board}',
    columns: { pin: 'Board pin', terminal: 'Driver', field: 'Field' },
    choosePin: 'choose a pin',
    noTerminal: 'no terminal',
    go: 'Go to {label}',
    motor: 'M',
    supply: 'supply',
    useStyle: 'Wire it as {style}',
    fault: {
      noStyle: 'Choose how the driver is wired above. This board fits {style}.',
      noTerminal: '{board} has no free input for {label}: leave that pin out.',
    },
    source: {
      '3v3': '3.3 V',
      '5v': '5 V',
      gnd: 'GND',
      jumper: 'jumper on',
      servo: 'servo pin',
      open: 'leave open',
    },
    name: {
      l298n: 'L298N',
      tb6612fng: 'TB6612FNG',
      bts7960: 'BTS7960 (IBT-2)',
      drv8871: 'DRV8871',
      esc: 'ESC, brushed or brushless',
    },
    /** As it fits on the board in the picture. */
    short: { l298n: 'L298N', tb6612fng: 'TB6612FNG', bts7960: 'BTS7960', drv8871: 'DRV8871', esc: 'ESC' },
    detail: {
      l298n: '7 to 35 V, 2 A',
      tb6612fng: '2.5 to 13.5 V, 1.2 A',
      bts7960: '5.5 to 27 V, high current',
      drv8871: '6.5 to 45 V, 3.6 A peak',
      esc: 'radio control',
    },
    wrong: {
      l298n: 'An L298N has no direction input: IN1 and IN2 choose the direction.',
      tb6612fng: 'A TB6612FNG has no direction input: AIN1 and AIN2 choose the direction.',
      bts7960:
        'A BTS7960 has no input for the direction or the speed alone: RPWM turns the motor one way and LPWM the other, with the PWM on them.',
      drv8871: 'A DRV8871 has only IN1 and IN2: they choose the direction, and the PWM goes on them.',
      esc: 'This motor cannot drive an ESC: an ESC wants a pulse of 1 to 2 ms, 50 times a second, not a share of full power. Add a servo of model gpio on the signal wire instead, with a shortest pulse of 1000 µs and a longest of 2000 µs. Its angle is then the throttle. Speed and position are not controlled.',
    },
    /** What must be wired besides, and what to know of the levels. */
    ground: {
      l298n: 'Join GND of the computer, of the driver and of the motor supply.',
      tb6612fng: 'Join GND of the computer, of the driver and of the motor supply.',
      bts7960: 'Join GND of the computer, of the driver and of the motor supply (B-).',
      drv8871: 'Join GND of the computer, of the driver and of the motor supply.',
      esc: 'Join GND of the computer and the black or brown wire of the ESC.',
    },
    power: {
      l298n:
        'Motor supply at +12V: 7 to 12 V with the jumper of the 5 V regulator on. Up to 35 V, take that jumper off and give +5V 5 V of its own. The motor gets about 2 V less.',
      tb6612fng: 'Motor supply at VM: 2.5 to 13.5 V.',
      bts7960: 'Motor supply at B+: 5.5 to 27 V.',
      drv8871: 'Motor supply at VM: 6.5 to 45 V. It needs no supply for its logic.',
      esc: 'The battery, as the label of the ESC says. Without a propeller or load for the first try.',
    },
    logic: {
      l298n: '3.3 V pins are enough: its inputs are high from 2.3 V.',
      tb6612fng:
        'VCC has to be the voltage of the pins, 3.3 V: an input is high from 0.7 × VCC, which 3.3 V pins miss at 5 V.',
      bts7960:
        'At 5 V, the input buffer of the board (74HC244) is sure to read only 3.5 V and more as high. 3.3 V pins often work, but a level shifter is safe.',
      drv8871: '3.3 V pins are enough: its inputs are high from 1.5 V.',
      esc: 'The red wire is an output of 5 V (BEC). Leave it open: it must not feed a computer that has its own supply.',
    },
    more: {
      l298n:
        'For PWM on ENA, take its jumper off. While the 5 V jumper is on, +5V is an output: do not join it to 5 V of the computer. A second motor is at ENB, IN3 and IN4.',
      tb6612fng:
        'STBY and PWMA must be high for the motor to turn; left open, they are low. A second motor is at PWMB, BIN1 and BIN2.',
      bts7960:
        'While R_EN and L_EN are held high, every stop brakes: both sides go to ground. With a pin on them (Enable pin, works when high), it coasts. R_IS and L_IS stay open.',
      drv8871: 'The board limits its current by a resistor: look up which, for a larger motor.',
      esc: 'Most ESCs start only after some seconds at the shortest pulse: move the servo to its smallest angle first. An ESC with reverse has its rest in the middle. Stop ends the pulses: whether the motor then stops is up to the ESC, so try that first.',
    },
  },
} as const;
