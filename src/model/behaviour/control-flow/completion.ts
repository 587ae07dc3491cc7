/** Leaves a branch, a loop or a function: statements give it to what holds them, expressions throw it. */
export class Signal {
  readonly kind: 'return' | 'throw' | 'break' | 'continue'
  constructor(kind: 'return' | 'throw' | 'break' | 'continue') {
    this.kind = kind
  }
}

/** How statements end: by what leaves them, or not at all. */
export type Completion = Signal | undefined

/** The four signals; they are told apart by identity. */
export const SIGNALS = { return: new Signal('return'), throw: new Signal('throw'), break: new Signal('break'), continue: new Signal('continue') }
