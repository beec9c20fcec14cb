/** A model of a mail server, behind the network, and what portals have asked of it. */
import { MailNotSent, type ConfirmedMailer, type Mail } from '@hindsight/portal/service.ts';
import { Process, type Machine } from '../machine/machine.ts';
import type { Network, Server } from '../machine/network.ts';

/** An email, from the moment that a portal begins to send it. */
export interface Sending {
  readonly mail: Mail;
  /** Copies that the server has accepted. */
  accepted: number;
  /** The exchange broke off, or its portal was killed in it: the server may have accepted it or not. */
  brokeOff: boolean;
}

export class MailServer {
  readonly server: Server = {
    process: new Process('mail'),
    unavailable: (why) => new MailNotSent(why),
  };
  readonly sendings: Sending[] = [];
  readonly #machine: Machine;
  readonly #network: Network;
  readonly #note: (outcome: string) => void;

  /** @param note told of each email that is accepted */
  constructor(machine: Machine, network: Network, note: (outcome: string) => void) {
    this.#note = note;
    this.#machine = machine;
    this.#network = network;
  }

  /** The port, as a portal's adapter keeps it: one that cannot be reached is told from an exchange that breaks off. */
  connect(): ConfirmedMailer {
    const send = (mail: Mail): Promise<void> => this.#send(mail);
    return { send, post: (mail) => void send(mail).catch(() => undefined) };
  }

  async #send(mail: Mail): Promise<void> {
    const sending: Sending = { mail, accepted: 0, brokeOff: true };
    this.sendings.push(sending);
    try {
      await this.#network.call(this.server, () => undefined);
    } catch (error) {
      sending.brokeOff = false;
      throw error;
    }
    const accept = (): void => {
      sending.accepted++;
      this.#note('email');
      this.#machine.note(`mail ${mail.subject}`);
    };
    await this.#network.call(this.server, accept).then(
      () => (sending.brokeOff = false),
      () => undefined,
    );
  }
}
