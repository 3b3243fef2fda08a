import { BoardServiceDefinition } from '../../proto/gen/core/component/board/v1/board.ts';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { GrpcClient, type CallOptions, type ClientOptions, type Target } from './grpc-client.ts';

/** A client for motors, pins and sessions of a running machine, over one connection. */
export class MachineClient {
  readonly grpc: GrpcClient;
  readonly #headers: Record<string, string>;

  /** @param headers sent with every call, for example `authorization` or `viam-sid` */
  constructor(target: Target, headers: Readonly<Record<string, string>> = {}, options: ClientOptions = {}) {
    this.grpc = new GrpcClient(target, options);
    this.#headers = { ...headers };
  }

  async setPower(motor: string, power: number): Promise<void> {
    await this.grpc.call(MotorServiceDefinition, 'setPower', { name: motor, powerPct: power }, this.#options());
  }

  async goFor(motor: string, rpm: number, revolutions: number): Promise<void> {
    await this.grpc.call(MotorServiceDefinition, 'goFor', { name: motor, rpm, revolutions }, this.#options());
  }

  async stop(motor: string): Promise<void> {
    await this.grpc.call(MotorServiceDefinition, 'stop', { name: motor }, this.#options());
  }

  async isMoving(motor: string): Promise<boolean> {
    const { isMoving } = await this.grpc.call(MotorServiceDefinition, 'isMoving', { name: motor }, this.#options());
    return isMoving;
  }

  /** Current power, 0 when off. */
  async power(motor: string): Promise<number> {
    const { powerPct } = await this.grpc.call(MotorServiceDefinition, 'isPowered', { name: motor }, this.#options());
    return powerPct;
  }

  /** Position in revolutions. */
  async position(motor: string): Promise<number> {
    const { position } = await this.grpc.call(MotorServiceDefinition, 'getPosition', { name: motor }, this.#options());
    return position;
  }

  async setGpio(pin: string, high: boolean): Promise<void> {
    await this.grpc.call(BoardServiceDefinition, 'setGPIO', { name: 'bench', pin, high }, this.#options());
  }

  async gpio(pin: string): Promise<boolean> {
    const { high } = await this.grpc.call(BoardServiceDefinition, 'getGPIO', { name: 'bench', pin }, this.#options());
    return high;
  }

  async setPwm(pin: string, dutyCyclePct: number): Promise<void> {
    await this.grpc.call(BoardServiceDefinition, 'setPWM', { name: 'bench', pin, dutyCyclePct }, this.#options());
  }

  async pwm(pin: string): Promise<number> {
    const { dutyCyclePct } = await this.grpc.call(
      BoardServiceDefinition,
      'pWM',
      { name: 'bench', pin },
      this.#options(),
    );
    return dutyCyclePct;
  }

  /** Names with the subtype of their API: `motor/left`. */
  async resourceNames(): Promise<string[]> {
    const { resources } = await this.grpc.call(RobotServiceDefinition, 'resourceNames', {}, this.#options());
    return resources.map(({ subtype, name }) => `${subtype}/${name}`).sort();
  }

  async stopAll(): Promise<void> {
    await this.grpc.call(RobotServiceDefinition, 'stopAll', { extra: [] }, this.#options());
  }

  /** Opens a session and sends its id with every call from now on. Sends heartbeats only on request. */
  async startSession(): Promise<{ readonly id: string; readonly windowMs: number }> {
    const { id, heartbeatWindow } = await this.grpc.call(RobotServiceDefinition, 'startSession', { resume: '' });
    this.#headers['viam-sid'] = id;
    const { seconds = 0n, nanos = 0 } = heartbeatWindow ?? {};
    return { id, windowMs: Number(seconds) * 1_000 + nanos / 1e6 };
  }

  async heartbeat(id: string): Promise<void> {
    await this.grpc.call(RobotServiceDefinition, 'sendSessionHeartbeat', { id });
  }

  close(): void {
    this.grpc.close();
  }

  #options(): CallOptions {
    return { headers: this.#headers };
  }
}
