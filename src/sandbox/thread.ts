import type { Worker } from 'node:worker_threads'
import { startThread } from '../base/flow/start-thread.ts'
import { createHeartbeat, overdueRun, requestStop } from './heartbeat.ts'
import { GRACE_MS, type Limits } from './limits.ts'
import type { Engine, FromThread, ThreadData, ToThread } from './messages.ts'
import { StayAwake } from './stay-awake.ts'

export interface ThreadListeners {
  message(message: FromThread): void
  /** Called when the thread has ended for any reason, and with it its script. */
  lost(error: unknown): void
}

/** Memory outside the engine: messages, the type stripper, results in transit. */
const RESOURCES = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** A thread that runs one script at a time. */
export class Thread {
  /** The script that it runs, or that waits on it for an answer. */
  resident: number | undefined
  isReady = false
  readonly #worker: Worker
  readonly #heartbeat = createHeartbeat()
  readonly #awake = new StayAwake()

  constructor(engine: Promise<Engine>, limits: Limits, listeners: ThreadListeners) {
    const heartbeat = this.#heartbeat
    const workerData: ThreadData = { limits, heartbeat }
    this.#worker = startThread('sandbox/sandbox-worker', {
      built: 'cjs',
      workerData,
      env: {},
      // Its output must not reach our stdout, which may carry the protocol.
      stdout: true,
      resourceLimits: RESOURCES,
    })
    engine.then(
      (loaded) => this.post({ kind: 'load', engine: loaded }),
      () => void this.end(),
    )
    let isLost = false
    const lost = (error: unknown) => {
      if (!isLost) listeners.lost(error)
      isLost = true
    }
    this.#worker.on('error', lost)
    this.#worker.on('exit', () => lost(new Error('the thread ended')))
    this.#worker.on('message', (message: FromThread) => {
      this.#awake.arrived()
      if (message.kind === 'ready') {
        this.isReady = true
        // Not earlier: a process without other work would end before its thread has started.
        this.#worker.unref()
      }
      listeners.message(message)
    })
  }

  post(message: ToThread): void {
    const memory = message.kind === 'restore' ? message.image.snapshot.memory.buffer : undefined
    this.#worker.postMessage(message, memory instanceof ArrayBuffer ? [memory] : [])
    if (message.kind === 'answer') this.#awake.expect()
  }

  /** Makes a running script stop at its next check, which is at most a few thousand steps away. */
  stop(run: number): void {
    requestStop(this.#heartbeat, run)
    this.post({ kind: 'drop', run })
  }

  /** Whether its script is stuck in a native operation, which only ending the thread stops. */
  get isStuck(): boolean {
    return overdueRun(this.#heartbeat, GRACE_MS) !== undefined
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}
