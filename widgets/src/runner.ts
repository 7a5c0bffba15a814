// Run and pause: steps at a chosen speed, or everything at once.

/** What can be run: one pass, or several side by side. */
export interface Runnable {
  readonly atEnd: boolean;
  /** Is there a breakpoint at the step that is shown? */
  readonly halted?: boolean;
  step(): void;
  runToEnd(): void;
}

export class Runner {
  /** Steps a second; 0: to the end in one request. */
  speed = 2;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly session: Runnable,
    private readonly onChange: () => void,
  ) {}

  get running(): boolean {
    return this.timer !== null;
  }

  toggle(): void {
    if (this.running) this.pause();
    else if (this.session.atEnd) return;
    else if (this.speed === 0) this.session.runToEnd();
    else this.tick(true);
    this.onChange();
  }

  pause(): void {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.onChange();
  }

  private tick(first = false): void {
    if (this.session.atEnd || (this.session.halted && !first)) {
      this.pause();
      return;
    }
    if (this.speed === 0) {
      this.session.runToEnd();
      this.pause();
      return;
    }
    this.session.step();
    this.timer = setTimeout(() => this.tick(), 1000 / this.speed);
  }
}
