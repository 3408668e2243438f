import { parentPort, workerData } from 'node:worker_threads'
import { GuestVm } from './guest/guest-vm.ts'
import type { Engine, FromThread, Image, ThreadData, ToThread, WarmImage } from './messages.ts'
import { StayAwake } from './stay-awake.ts'
import { makeWarmImage } from './engine/warm-image.ts'

// Runs one script at a time. This thread has no credentials and an empty environment: requests of a
// script leave as messages, and the main thread decides about them.

const port = parentPort
const { limits, heartbeat }: ThreadData = workerData
const awake = new StayAwake()
let engine: (Engine & { readonly warm: WarmImage }) | undefined
let guest: GuestVm | undefined

/** Messages are handled in order, because opening a machine is asynchronous. */
let turn: Promise<void> = Promise.resolve()
port?.on('message', (message: ToThread) => {
  awake.arrived()
  turn = turn.then(async () => (message.kind === 'load' ? load(message.engine) : receive(message)))
})

async function load(given: Engine): Promise<void> {
  engine = { ...given, warm: given.warm ?? (await makeWarmImage(given)) }
  post({ kind: 'ready', made: given.warm ? undefined : engine.warm })
}

async function receive(message: Exclude<ToThread, { kind: 'load' }>): Promise<void> {
  const { run } = message
  if (message.kind === 'drop') {
    if (guest?.run === run) close()
    post({ kind: 'dropped', run })
    return
  }
  if (message.kind === 'start') {
    guest = await open(run)
    guest.start(message.source, message.input)
  } else if (message.kind === 'restore') {
    guest = await open(run, message.image)
    guest.answer(message.answers)
  } else if (guest?.run !== run) {
    return
  } else if (message.kind === 'answer') {
    guest.answer([message.answer])
  } else {
    const image = guest.toImage()
    close()
    post({ kind: 'swapped', run, image }, image.snapshot.memory.buffer)
    return
  }
  if (guest.ended) close()
}

/** Opens the machine of a script; without an image, the script is a new one. */
async function open(run: number, image?: Image): Promise<GuestVm> {
  close()
  if (!engine) throw new Error('a script came before the engine')
  const { module, id, warm } = engine
  return GuestVm.open(
    image ?? warm,
    { run, module, wasm: id, limits, heartbeat },
    {
      asks: (asks, idle) => {
        post({ kind: 'asks', run, asks, idle })
        if (idle) awake.expect()
      },
      log: (text) => post({ kind: 'log', run, text }),
      ended: (ended) => post({ kind: 'ended', run, ended }),
    },
  )
}

function close(): void {
  guest?.dispose()
  guest = undefined
}

/** Transfers the memory instead of copying it. */
function post(message: FromThread, memory?: ArrayBufferLike): void {
  port?.postMessage(message, memory instanceof ArrayBuffer ? [memory] : [])
}
