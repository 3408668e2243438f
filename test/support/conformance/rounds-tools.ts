import { createHmac, timingSafeEqual } from 'node:crypto'
import { ProtocolError } from '@modelcontextprotocol/server'
import {
  type Ask,
  asking,
  askFor,
  form,
  hasAnswer,
  name,
  roots,
  sampling,
} from './input-required.ts'
import { type Run, text, type Tool } from './session.ts'

const SECRET = 'a key that only this process has to know'

function seal(value: string): string {
  return `${value}.${createHmac('sha256', SECRET).update(value).digest('hex')}`
}

function unseal(state: string | undefined): string {
  const [value = '', mac = ''] = (state ?? '').split('.')
  const expected = createHmac('sha256', SECRET).update(value).digest('hex')
  if (mac.length !== expected.length || !timingSafeEqual(Buffer.from(mac), Buffer.from(expected)))
    throw new ProtocolError(-32602, 'requestState failed its integrity check')
  return value
}

/** Asks once with sealed state, and ends when the answers and the state come back. */
function sealed(asks: Record<string, Ask>, reply: string): Run {
  return (_, { inputResponses, requestState }) => {
    if (requestState === undefined) return askFor(asks, seal('round-1'))
    unseal(requestState)
    if (!Object.keys(asks).every((key) => hasAnswer(inputResponses, key)))
      return askFor(asks, seal('round-1'))
    return text(reply)
  }
}

/** Tools that need several rounds with a modern client (SEP-2322). */
export const roundsTools: Readonly<Record<string, Tool>> = {
  test_input_required_result_elicitation: {
    description: 'Needs a name',
    run: asking(
      { user_name: name },
      (answers) => `Hello, ${JSON.stringify(answers['user_name'])}!`,
    ),
  },
  test_input_required_result_sampling: {
    description: 'Needs an answer of a model',
    run: asking({ capital_question: sampling('What is the capital of France?', 100) }, (answers) =>
      JSON.stringify(answers['capital_question']),
    ),
  },
  test_input_required_result_list_roots: {
    description: "Needs the client's roots",
    run: asking({ client_roots: roots }, (answers) => JSON.stringify(answers['client_roots'])),
  },
  test_input_required_result_request_state: {
    description: 'Needs its state back',
    run: sealed({ confirm: form('Please confirm', { ok: { type: 'boolean' } }) }, 'state-ok'),
  },
  test_input_required_result_tampered_state: {
    description: 'Refuses state that was changed',
    run: sealed({ confirm: form('Please confirm', { ok: { type: 'boolean' } }) }, 'untouched'),
  },
  test_input_required_result_multiple_inputs: {
    description: 'Needs three answers at once',
    run: sealed(
      { user_name: name, greeting: sampling('Generate a greeting', 50), client_roots: roots },
      'Got all three',
    ),
  },
  test_input_required_result_multi_round: {
    description: 'Needs one answer after the other',
    run: (_, { inputResponses, requestState }) => {
      const step1 = form('Step 1: What is your name?', { name: { type: 'string' } })
      const step2 = form('Step 2: What is your favorite color?', { color: { type: 'string' } })
      const round = requestState === undefined ? 'none' : unseal(requestState)
      if (round === 'round-2' && hasAnswer(inputResponses, 'step2')) return text('Done')
      if (round === 'round-2' || (round === 'round-1' && hasAnswer(inputResponses, 'step1')))
        return askFor({ step2 }, seal('round-2'))
      return askFor({ step1 }, seal('round-1'))
    },
  },
  test_input_required_result_capabilities: {
    description: 'Asks only what the client can answer',
    run: (_, { capabilities }) => {
      const asks = {
        ...(capabilities['elicitation'] !== undefined && { user_name: name }),
        ...(capabilities['sampling'] !== undefined && { greeting: sampling('Greet', 50) }),
        ...(capabilities['roots'] !== undefined && { client_roots: roots }),
      }
      return Object.keys(asks).length === 0 ? text('Nothing to ask') : askFor(asks)
    },
  },
}
