import { parentPort } from 'node:worker_threads'
import { parseExact, stringifyExact } from '../../base/exact-json.ts'
import { messageOf } from '../../base/errors.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { select } from './select.ts'
import type { SelectReply, SelectRequest } from './select-thread.ts'

const port = parentPort

port?.on('message', (request: SelectRequest) => {
  void answer(request).then((reply) => port.postMessage(reply))
})

/** JSON text both ways: numbers that a double cannot hold do not survive a structured clone. */
async function answer({ data, expression }: SelectRequest): Promise<SelectReply> {
  try {
    const found = await select(parseExact(data), expression)
    return { found: stringifyExact(found ?? null) }
  } catch (error) {
    if (error instanceof GatewayError) return { refused: error.message, hint: error.details.hint }
    return { refused: messageOf(error), hint: undefined }
  }
}
