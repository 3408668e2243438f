import type { Identified } from '../../gateway/call.ts'
import { ALWAYS_LOADED, type MetaTool, inputSchema } from '../discover/meta-tool.ts'
import { grantFor } from './may-run-scripts.ts'
import { draftFrom } from './propose-script.ts'
import { RUN_SCRIPT, runStarted } from './run/run-started.ts'
import { answerAsTask, wantsTask } from './script-task.ts'
import { continuedScript, newScript } from './run/start-script.ts'

export const runScript: MetaTool = {
  definition: {
    name: RUN_SCRIPT,
    description:
      'Run JavaScript or TypeScript over all tools; only the last expression, or return, comes back. await tools.<server>.<tool>(args) is its value. Also find(query), describe(name), parallel(functions, {limit}), keep(value) → handle, read(handle), select(value, jmespath), log(), sleep(ms), input.',
    inputSchema: inputSchema(
      {
        code: { type: 'string' },
        input: {},
        max_tokens: { type: 'integer' },
        timeout_ms: { type: 'integer' },
        plan: { type: 'boolean', description: 'Only list writes' },
        save: { description: 'Propose as tool: name, description, input_schema' },
      },
      ['code'],
    ),
    _meta: ALWAYS_LOADED,
  },
  async answer(args, call, world) {
    grantFor(call, world)
    const draft = draftFrom(args)
    const { requestState } = call.params
    const begin = async (sent: Identified, task?: string) =>
      requestState === undefined
        ? newScript(args, sent, { world, draft, task })
        : continuedScript(requestState, sent, { world })
    if (wantsTask(call, world)) return answerAsTask(call, world, begin)
    return runStarted(async () => begin(call), call, world)
  },
}
