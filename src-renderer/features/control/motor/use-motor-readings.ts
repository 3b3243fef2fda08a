import { computed, ref, shallowRef, watch, type Ref } from 'vue';
import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { MotorServiceDefinition } from '../../../../proto/gen/core/component/motor/v1/motor.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { timeOf } from '../../../shared/machine/machine-view.ts';
import { poll, valueOf, type WatchRequest } from '../../../shared/machine/poll.ts';
import { useReadings, type LiveReading } from '../../../shared/machine/use-reading.ts';
import { PlotFeed } from '../../../shared/plot/plot-feed.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import { pollHz } from '../pace.ts';
import { SlopeMeter } from '../../../shared/readings/slope-meter.ts';
import { commandedNow, type CommandedSpeed } from './motor-command.ts';
import type { MotorCommands } from './use-motor-commands.ts';

const { getPosition, isMoving, isPowered } = MotorServiceDefinition.methods;

const positionHz = 50;
const powerHz = 20;
const movingHz = 10;
const speedWindowMs = 250;

/** The live readings of a motor, and the samples of its plot: actual speed, commanded speed, and power. */
export function useMotorReadings(
  resource: () => Resource,
  isOnScreen: Readonly<Ref<boolean>>,
  maxRpm: Readonly<Ref<number | undefined>>,
  commands: MotorCommands,
) {
  const machine = useMachine();
  const connection = useConnection();
  const feed = new PlotFeed();
  const speed = new SlopeMeter(speedWindowMs);
  const rpm = ref<number>();
  const commanded = shallowRef<CommandedSpeed>({ rpm: 0, isFromOther: false });
  let power: number | undefined;

  const requests = (): readonly WatchRequest[] => {
    const { state, name: fullName } = resource();
    if (state !== Resource_State.READY) return [];
    const common = (id: string, hz: number) => ({
      id,
      resource: fullName,
      request: {},
      frequencyHz: pollHz(hz, isOnScreen.value),
    });
    return [
      poll({ ...common('position', positionHz), method: getPosition }),
      poll({ ...common('power', powerHz), method: isPowered }),
      poll({ ...common('moving', movingHz), method: isMoving }),
    ];
  };

  function take(reading: LiveReading): void {
    const { id, value, machineAt } = reading;
    if (value === undefined) {
      if (id === 'position') {
        speed.clear();
        rpm.value = undefined;
        feed.addGaps();
      }
      if (id === 'power') power = undefined;
      return;
    }
    feed.take(reading);
    const moves = valueOf(reading, isMoving)?.isMoving;
    if (moves === true) commands.accept();
    else if (moves === false) commands.noteStandstill(reading.at);
    const powered = valueOf(reading, isPowered);
    if (powered !== undefined) {
      power = powered.powerPct;
      feed.add('power', reading, power);
    }
    const place = valueOf(reading, getPosition);
    if (place !== undefined) {
      const revolutionsPerSecond = speed.add(machineAt, place.position);
      rpm.value = revolutionsPerSecond === undefined ? undefined : revolutionsPerSecond * 60;
      if (rpm.value !== undefined) feed.add('actual', reading, rpm.value);
    }
    const next = commandedNow(commands.command.value, power, maxRpm.value, commands.isOurs());
    feed.addStep('commanded', machineAt, next.rpm);
    if (next.rpm !== commanded.value.rpm || next.isFromOther !== commanded.value.isFromOther) commanded.value = next;
  }

  const readings = useReadings(requests, take);

  /** Whether the motor measures its position; undefined until it has answered GetProperties. */
  const isMeasured = ref<boolean>();
  const propertiesProblem = ref('');
  watch(
    () => [resource().state === Resource_State.READY, connection.isConnected, timeOf(resource().since)] as const,
    async ([ready, connected]) => {
      if (!ready || !connected) return;
      try {
        const motor = machine.resource(MotorServiceDefinition, resource().name);
        isMeasured.value = (await motor.getProperties({})).positionReporting;
        propertiesProblem.value = '';
      } catch (thrown) {
        propertiesProblem.value = messageOf(thrown);
      }
    },
    { immediate: true },
  );

  const ofId = (id: string) => computed(() => readings.value.get(id));
  const position = ofId('position');
  const powered = ofId('power');
  const moving = ofId('moving');
  return {
    feed,
    rpm,
    commanded,
    isMeasured,
    /** Revolutions. */
    position: computed(() => valueOf(position.value, getPosition)?.position),
    /** -1 to 1. */
    power: computed(() => valueOf(powered.value, isPowered)?.powerPct),
    isMoving: computed(() => valueOf(moving.value, isMoving)?.isMoving),
    /** Wall-clock time of the oldest of the shown values. */
    oldestAt: computed(() => {
      const times = [...readings.value.values()].map(({ at }) => at);
      return times.length === 0 ? undefined : Math.min(...times);
    }),
    problem: computed(
      () => [powered.value, moving.value, position.value].find((each) => each?.error)?.error ?? propertiesProblem.value,
    ),
  };
}

export type MotorReadings = ReturnType<typeof useMotorReadings>;
