/** Runs jobs one after another; while one runs at most one more waits (further requests join the waiting one). */
export class SingleQueue {
  private running: Promise<void> | undefined;
  private waiting: Promise<void> | undefined;

  /** Resolves when what runs and waits now has ended, well or not. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.running, this.waiting]);
  }

  request(job: () => Promise<void>): Promise<void> {
    if (!this.running) return this.start(job);
    if (!this.waiting) {
      this.waiting = this.running.then(
        () => this.startWaiting(job),
        () => this.startWaiting(job),
      );
    }
    return this.waiting;
  }

  private startWaiting(job: () => Promise<void>): Promise<void> {
    this.waiting = undefined;
    return this.start(job);
  }

  private start(job: () => Promise<void>): Promise<void> {
    const running = job().finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}
