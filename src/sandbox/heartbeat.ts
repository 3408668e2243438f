/**
 * Numbers that a thread and the main thread share: which script is inside the engine now, until
 * when it may stay there, and which script is to stop. Times are the low 32 bits of milliseconds.
 */
const RUN = 0
const UNTIL = 1
const STOP = 2
const FIELDS = 3

export function createHeartbeat(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(FIELDS * Int32Array.BYTES_PER_ELEMENT))
}

export function beginTurn(beat: Int32Array, run: number, leftMs: number): void {
  Atomics.store(beat, UNTIL, (Date.now() + Math.ceil(leftMs)) | 0)
  Atomics.store(beat, RUN, run)
}

export function endTurn(beat: Int32Array): void {
  Atomics.store(beat, RUN, 0)
}

export function requestStop(beat: Int32Array, run: number): void {
  Atomics.store(beat, STOP, run)
}

export function isStopRequested(beat: Int32Array, run: number): boolean {
  return Atomics.load(beat, STOP) === run
}

/** Returns the script that has exceeded its time inside the engine by more than `graceMs`. */
export function overdueRun(beat: Int32Array, graceMs: number): number | undefined {
  const run = Atomics.load(beat, RUN)
  const lateMs = ((Date.now() | 0) - Atomics.load(beat, UNTIL)) | 0
  return run !== 0 && lateMs > graceMs ? run : undefined
}
