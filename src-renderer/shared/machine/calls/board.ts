import { BoardServiceDefinition } from '../../../../proto/gen/core/component/board/v1/board.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { BoardCalls } from '../machine.ts';
import { shortName } from '../machine-view.ts';
import { extra, quick } from './call-options.ts';

export function boardCalls(session: Channel, link: Channel): BoardCalls {
  const client = createClient(BoardServiceDefinition, session);
  const direct = createClient(BoardServiceDefinition, link);
  const of = (fullName: string, pin: string) => ({ name: shortName(fullName), pin, extra });
  return {
    async readPin(fullName, pin) {
      return (await direct.getGPIO(of(fullName, pin), quick)).high;
    },
    async writePin(fullName, pin, high) {
      await client.setGPIO({ ...of(fullName, pin), high }, quick);
    },
    async readDuty(fullName, pin) {
      return (await direct.pWM(of(fullName, pin), quick)).dutyCyclePct;
    },
    async writeDuty(fullName, pin, duty) {
      await client.setPWM({ ...of(fullName, pin), dutyCyclePct: duty }, quick);
    },
    async readFrequency(fullName, pin) {
      return Number((await direct.pWMFrequency(of(fullName, pin), quick)).frequencyHz);
    },
    async writeFrequency(fullName, pin, frequencyHz) {
      await client.setPWMFrequency({ ...of(fullName, pin), frequencyHz: BigInt(Math.round(frequencyHz)) }, quick);
    },
    async writeAnalog(fullName, pin, value) {
      await client.writeAnalog({ ...of(fullName, pin), value }, quick);
    },
  };
}
