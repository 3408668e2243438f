import {
  acceptedContent,
  type ClientCapabilities,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type InputRequests,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod/v4'

/** Seals state that comes back through the client: the SDK refuses changed state. */
export const requestState = createRequestStateCodec<{ round: number }>({
  key: crypto.getRandomValues(new Uint8Array(32)),
})

const nothing = z.object({})
const nameSchema = z.object({ name: z.string() })
const colorSchema = z.object({ color: z.string() })
const okSchema = z.object({ ok: z.boolean() })

const askName = () =>
  inputRequired.elicit({ message: 'What is your name?', requestedSchema: nameSchema })
const askModel = (text: string, maxTokens = 100) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens,
  })

function said(text: string) {
  return { content: [{ type: 'text' as const, text }] }
}

function has(context: ServerContext, key: string): boolean {
  return inputResponse(context.mcpReq.inputResponses, key).kind !== 'missing'
}

/** Returns the capabilities in the envelope of a request, which the SDK does not type. */
function declaredBy(envelope: object = {}): ClientCapabilities {
  const { [CLIENT_CAPABILITIES_META_KEY]: declared }: { [key: string]: ClientCapabilities } = {
    ...envelope,
  }
  return declared ?? {}
}

/** Tools that end a call with their questions and continue when it is repeated with the answers. */
export function registerRoundsTools(server: McpServer): void {
  const register = (
    name: string,
    description: string,
    run: (
      context: ServerContext,
    ) => Promise<ReturnType<typeof said> | ReturnType<typeof inputRequired>>,
  ) =>
    server.registerTool(name, { description, inputSchema: nothing }, async (_, context) =>
      run(context),
    )

  register('test_input_required_result_elicitation', 'Greets by name', async ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_name', nameSchema)
    if (!answer) return inputRequired({ inputRequests: { user_name: askName() } })
    return said(`Hello, ${answer.name}!`)
  })
  register('test_input_required_result_sampling', 'Asks a model for a capital', async (context) => {
    if (has(context, 'capital_question')) return said('The model knows')
    const capital_question = askModel('What is the capital of France?')
    return inputRequired({ inputRequests: { capital_question } })
  })
  register('test_missing_capability', 'Needs a client with a model', async (context) => {
    if (has(context, 'llm_answer')) return said('The client has a model')
    return inputRequired({ inputRequests: { llm_answer: askModel('Say yes', 16) } })
  })
  register('test_input_required_result_list_roots', 'Counts the roots', async (context) => {
    const response = inputResponse(context.mcpReq.inputResponses, 'client_roots')
    if (response.kind === 'roots') return said(`${response.roots.length} roots`)
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
  for (const name of ['request_state', 'tampered_state'])
    register(
      `test_input_required_result_${name}`,
      'Keeps its state with the client',
      async (context) => {
        if (has(context, 'confirm') && context.mcpReq.requestState() !== undefined)
          return said('state-ok')
        const confirm = inputRequired.elicit({
          message: 'Please confirm',
          requestedSchema: okSchema,
        })
        return inputRequired({
          inputRequests: { confirm },
          requestState: await requestState.mint({ round: 1 }),
        })
      },
    )
  register(
    'test_input_required_result_multiple_inputs',
    'Asks three things at once',
    async (context) => {
      if (['user_name', 'greeting', 'client_roots'].every((key) => has(context, key)))
        return said('Got all three')
      return inputRequired({
        inputRequests: {
          user_name: askName(),
          greeting: askModel('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await requestState.mint({ round: 1 }),
      })
    },
  )
  register(
    'test_input_required_result_multi_round',
    'Asks one thing after the other',
    async ({ mcpReq }) => {
      const { round } = mcpReq.requestState<{ round: number }>() ?? { round: 0 }
      if (round === 2) return said('Both rounds are done')
      const step1 = inputRequired.elicit({
        message: 'Step 1: What is your name?',
        requestedSchema: nameSchema,
      })
      const step2 = inputRequired.elicit({
        message: 'Step 2: What is your favorite color?',
        requestedSchema: colorSchema,
      })
      return inputRequired({
        inputRequests: round === 0 ? { step1 } : { step2 },
        requestState: await requestState.mint({ round: round + 1 }),
      })
    },
  )
  register(
    'test_input_required_result_capabilities',
    'Asks only what can be answered',
    async ({ mcpReq }) => {
      if (mcpReq.inputResponses !== undefined) return said('Answered')
      const declared = declaredBy(mcpReq.envelope)
      const inputRequests: InputRequests = {
        ...(declared.elicitation !== undefined && { user_name: askName() }),
        ...(declared.sampling !== undefined && { greeting: askModel('Greet', 50) }),
        ...(declared.roots !== undefined && { client_roots: inputRequired.listRoots() }),
      }
      if (Object.keys(inputRequests).length === 0) return said('There is nothing it can be asked')
      return inputRequired({ inputRequests })
    },
  )
}
