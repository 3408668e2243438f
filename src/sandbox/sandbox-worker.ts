import { parentPort, workerData } from 'node:worker_threads'
import { GuestVm } from './guest-vm.ts'
import type { FromThread, ThreadData, ToThread } from './messages.ts'
import { makeWarmImage } from './warm-image.ts'

// One script at a time. This thread has no credentials and an empty environment: what a script wants
// leaves as a message, and the main thread decides.

const port = parentPort
const { module, wasm, limits, heartbeat, warm: given }: ThreadData = workerData
const warm = given ?? (await makeWarmImage(module))
let guest: GuestVm | undefined

/** Opening a machine takes a moment: what arrives meanwhile waits for its turn. */
let turn: Promise<void> = Promise.resolve()
port?.on('message', (message: ToThread) => {
  turn = turn.then(async () => receive(message))
})
post({ kind: 'ready', warm })

async function receive(message: ToThread): Promise<void> {
  const { run } = message
  if (message.kind === 'drop') {
    if (guest?.run === run) close()
    post({ kind: 'dropped', run })
    return
  }
  if (message.kind === 'start') {
    guest = await open(run, warm)
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
  else post({ kind: 'idle', run })
}

async function open(run: number, image: Parameters<typeof GuestVm.open>[0]): Promise<GuestVm> {
  close()
  return GuestVm.open(
    image,
    { run, module, wasm, limits, heartbeat },
    {
      ask: (ask) => post({ kind: 'ask', run, ask }),
      log: (text) => post({ kind: 'log', run, text }),
      ended: (ended) => post({ kind: 'ended', run, ended }),
    },
  )
}

function close(): void {
  guest?.dispose()
  guest = undefined
}

/** Memory is handed over instead of copied. */
function post(message: FromThread, memory?: ArrayBufferLike): void {
  port?.postMessage(message, memory instanceof ArrayBuffer ? [memory] : [])
}
