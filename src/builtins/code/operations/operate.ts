import type { z } from 'zod'
import { RPC, RpcError } from '../../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import type { CodeDeps } from '../tools/code-deps.ts'
import { InBandError } from '../tools/in-band-error.ts'
import { answerIndexing, planIndexing } from '../tools/indexing/index-codebase.ts'
import { checkInfra } from './check-infra.ts'
import { readCredits } from './credits.ts'
import { describeProject, listProjects } from './describe-project.ts'
import { readFileContent } from './file-content.ts'
import { FILE_REQUEST, INDEX_REQUEST } from './inputs.ts'
import { openInEditor } from './open-in-editor.ts'

type Body = Record<string, unknown>
type Operation = (params: JsonObject, deps: CodeDeps, context: ServiceContext) => Promise<Body>

/** The operations of the HTTP API beyond the tools, by name. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  plan_index: given(INDEX_REQUEST, async (request, deps, context) => {
    const { project, name } = await planIndexing(request, deps, context)
    return { path: project.root, index_name: name }
  }),
  index: given(INDEX_REQUEST, answerIndexing),
  project: async (_, deps, context) => describeProject(deps, context),
  projects: async (_, deps) => listProjects(deps),
  infra: async (_, deps, context) => checkInfra(deps, context),
  credits: async (_, deps, context) => readCredits(deps, context),
  file_content: given(FILE_REQUEST, readFileContent),
  open_in_editor: given(FILE_REQUEST, openInEditor),
}

/** Answers a request that is not a tool call; errors the caller can fix are values, as in tools. */
export async function operate(
  params: JsonObject,
  deps: CodeDeps,
  context: ServiceContext,
): Promise<JsonObject> {
  const operation = OPERATIONS[String(params['operation'])]
  if (!operation)
    throw new RpcError(RPC.invalidParams, `Unknown operation: ${String(params['operation'])}`)
  try {
    return answer(await operation(params, deps, context))
  } catch (error) {
    if (!(error instanceof InBandError)) throw error
    return answer(error.toBody())
  }
}

function answer(body: Body): JsonObject {
  return { content: [], structuredContent: body }
}

function given<Schema extends z.ZodType>(
  schema: Schema,
  run: (request: z.output<Schema>, deps: CodeDeps, context: ServiceContext) => Promise<Body>,
): Operation {
  return async (params, deps, context) => {
    const parsed = schema.safeParse(isObject(params['request']) ? params['request'] : {})
    if (parsed.success) return run(parsed.data, deps, context)
    const [issue] = parsed.error.issues
    throw new InBandError(
      'Invalid request',
      `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'cannot be read'}`,
    )
  }
}
