// The workers of all examples of a page. One serves them all, as long as it answers.
// When a call takes long while others wait behind it, the others go on with a worker
// of their own, and what hangs ends with the page that asked for it.

import { memoryLimit, tooMuch } from "./memory.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

/** How long a call may take before those behind it move on, in milliseconds. */
export const PATIENCE = 1_500;

/** An example: how to answer it. */
interface Member {
  name: string;
  send(message: FromWorker): void;
  group: Group;
  /** What it said to have the engine loaded. */
  load: ToWorker | undefined;
}

/** A call under way or waiting; ids are a member's own. */
interface Asked {
  member: Member;
  id: number;
  message: ToWorker;
  /** Its number as the worker knows it. */
  asked: number;
}

/** A worker and those that it serves. */
interface Group {
  worker: HubWorker;
  ready: boolean;
  /** In the order in which the worker gets them; the first is under way. */
  calls: Asked[];
  timer: ReturnType<typeof setTimeout> | undefined;
  /** What the worker had taken after its first call, in bytes. */
  atFirst: number | undefined;
  /** The group that takes over from this one, when it has loaded: this worker has too much memory. */
  next: Group | undefined;
}

/** What the hub needs of a worker. */
export interface HubWorker {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: ToWorker): void;
  terminate(): void;
}

export class Hub {
  readonly #newWorker: () => HubWorker;
  readonly #memory: number;
  readonly #members = new Map<string, Member>();
  #current: Group | undefined;
  /** The calls as the workers know them. */
  #asked = new Map<number, Asked>();
  #nextID = 1;

  constructor(newWorker: () => HubWorker, memory = memoryLimit()) {
    this.#newWorker = newWorker;
    this.#memory = memory;
  }

  /** Adds an example, unless it is there. */
  join(name: string, send: (message: FromWorker) => void): void {
    if (this.#members.has(name)) return;
    this.#members.set(name, { name, send, group: this.#group(), load: undefined });
  }

  /** An example says something. */
  hear(name: string, message: ToWorker): void {
    const member = this.#members.get(name);
    if (member === undefined) return;
    switch (message.type) {
      case "load":
        member.load = message;
        if (member.group.ready) member.send({ type: "ready" });
        else member.group.worker.postMessage(message);
        break;
      case "call":
        this.#ask({ member, id: message.id, message, asked: this.#nextID++ });
        break;
      case "registry":
        member.group.worker.postMessage(message);
        break;
      case "leave":
        this.#leave(member);
        break;
    }
  }

  #group(): Group {
    this.#current ??= this.#newGroup();
    return this.#current;
  }

  #newGroup(): Group {
    const worker = this.#newWorker();
    const group: Group = { worker, ready: false, calls: [], timer: undefined, atFirst: undefined, next: undefined };
    group.worker.onmessage = (event): void => this.#answer(group, event.data);
    group.worker.onerror = (event): void =>
      this.#failed(group, { type: "failed", message: event.message || "the worker could not be started" });
    return group;
  }

  #membersOf(group: Group): Member[] {
    return [...this.#members.values()].filter((m) => m.group === group);
  }

  #ask(asked: Asked): void {
    const { group } = asked.member;
    this.#asked.set(asked.asked, asked);
    group.calls.push(asked);
    if (group.ready) this.#post(group, asked);
    this.#watch(group);
  }

  #post(group: Group, { message, asked }: Asked): void {
    if (message.type === "call") group.worker.postMessage({ ...message, id: asked });
  }

  /** Begins to wait for the call under way, if others wait behind it. */
  #watch(group: Group): void {
    clearTimeout(group.timer);
    const first = group.calls[0];
    if (!group.ready || first === undefined || group.calls.every((c) => c.member === first.member)) return;
    group.timer = setTimeout(() => this.#part(group, first), PATIENCE);
  }

  /** Gives all but the one whose call takes long another worker. */
  #part(group: Group, slow: Asked): void {
    if (group.calls[0] !== slow) return;
    const others = this.#membersOf(group).filter((m) => m !== slow.member);
    const waiting = group.calls.filter((c) => c.member !== slow.member);
    group.calls = group.calls.filter((c) => c.member === slow.member);
    for (const [id, asked] of this.#asked) if (waiting.includes(asked)) this.#asked.delete(id);
    if (this.#current === group) this.#current = undefined;
    this.#move(others, waiting);
  }

  /** Takes examples, and what they wait for, to the next worker. */
  #move(members: Member[], waiting: Asked[]): void {
    const next = this.#group();
    for (const member of members) {
      member.group = next;
      if (member.load !== undefined && !next.ready) next.worker.postMessage(member.load);
    }
    for (const asked of waiting) this.#ask(asked);
  }

  #answer(group: Group, message: FromWorker): void {
    switch (message.type) {
      case "reply": {
        const asked = this.#asked.get(message.id);
        this.#asked.delete(message.id);
        if (asked === undefined) return; // of one that has left
        group.calls = group.calls.filter((c) => c !== asked);
        asked.member.send({ ...message, id: asked.id });
        this.#weigh(group, message.memory);
        this.#renew(group);
        this.#watch(group);
        return;
      }
      case "failed":
        this.#failed(group, message);
        return;
      case "waiting":
        if (message.over === true) this.#watch(group);
        else clearTimeout(group.timer); // another worker would wait for the same
        group.calls[0]?.member.send(message);
        return;
      case "ready":
        if (group.ready) return;
        group.ready = true;
        for (const asked of group.calls) this.#post(group, asked);
        this.#watch(group);
        this.#renew([...this.#groups()].find((g) => g.next === group));
    }
    for (const member of this.#membersOf(group)) member.send(message);
  }

  #groups(): Set<Group> {
    return new Set([...this.#members.values()].map((m) => m.group));
  }

  /** Has the engine loaded by a fresh worker when this one has taken too much memory. */
  #weigh(group: Group, memory: number | undefined): void {
    if (memory === undefined || group.next !== undefined) return;
    group.atFirst ??= memory;
    const load = this.#membersOf(group).find((m) => m.load !== undefined)?.load;
    if (load === undefined || !tooMuch(memory, group.atFirst, this.#memory)) return;
    group.next = this.#newGroup();
    group.next.worker.postMessage(load);
  }

  /** Goes over to the fresh worker, between two calls. */
  #renew(group: Group | undefined): void {
    if (group?.next?.ready !== true || group.calls.length > 0) return;
    const { next } = group;
    for (const member of this.#membersOf(group)) member.group = next;
    if (this.#current === group || this.#current === undefined) this.#current = next;
    group.next = undefined;
    this.#end(group);
  }

  /** A worker is of no use any more: its examples hear it, and start again. */
  #failed(group: Group, message: FromWorker): void {
    for (const former of this.#groups()) {
      if (former.next !== group) continue;
      former.next = undefined;
      former.atFirst = Infinity; // without a way to a fresh one, the old one goes on
    }
    const members = this.#membersOf(group);
    this.#end(group);
    for (const member of members) {
      this.#members.delete(member.name);
      member.send(message);
    }
  }

  #leave(member: Member): void {
    this.#members.delete(member.name);
    const { group } = member;
    const under = group.calls[0]?.member === member;
    group.calls = group.calls.filter((c) => c.member !== member);
    for (const [id, asked] of this.#asked) if (asked.member === member) this.#asked.delete(id);
    const others = this.#membersOf(group);
    if (!under && others.length > 0) return;
    // What it asked for may never end: its worker ends with it.
    const waiting = group.calls;
    this.#end(group);
    if (others.length > 0) this.#move(others, waiting);
  }

  #end(group: Group): void {
    clearTimeout(group.timer);
    if (group.next !== undefined) this.#end(group.next);
    group.worker.onmessage = null;
    group.worker.terminate();
    for (const [id, asked] of this.#asked) if (group.calls.includes(asked)) this.#asked.delete(id);
    group.calls = [];
    if (this.#current === group) this.#current = undefined;
  }
}
