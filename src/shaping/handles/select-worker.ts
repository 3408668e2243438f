import { parentPort } from 'node:worker_threads'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { messageOf } from '../../base/errors.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { excerptOf } from './excerpt.ts'
import { NARROW } from './excerpt.ts'
import { refused, select } from './select.ts'
import type { SelectReply, SelectRequest } from './select-thread.ts'

/** The main thread, which serves every request, has to copy the answer. */
const MAX_CHARACTERS = 32 * 1024 * 1024

const port = parentPort

port?.on('message', (request: SelectRequest) => {
  void answer(request).then((reply) => port.postMessage(reply))
})

/** Takes and returns JSON text: a structured clone loses numbers that a double cannot hold. */
async function answer({ data, expression, excerpt = {} }: SelectRequest): Promise<SelectReply> {
  try {
    const selected = await select(parseExact(data), expression)
    const found = stringifyExact(excerptOf(selected, excerpt) ?? null)
    if (found.length > MAX_CHARACTERS)
      throw refused(
        `its answer has ${found.length} characters, more than ${MAX_CHARACTERS}`,
        NARROW,
      )
    return { found }
  } catch (error) {
    if (error instanceof GatewayError) return { refused: error.message, hint: error.details.hint }
    return { refused: messageOf(error), hint: undefined }
  }
}
