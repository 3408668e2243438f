import { isObject, type JsonObject } from '../../base/json/json.ts'
import { openCodeSession } from './session/code-session.ts'
import { type Paint, createPaint } from '../shared/terminal/paint.ts'
import { renderNote, renderValue } from './render.ts'
import { printJson } from '../shared/terminal/print-json.ts'

/** Calls one tool and prints its answer as JSON or with `render`; returns false on a failure. */
export async function runTool(
  tool: string,
  args: JsonObject,
  {
    json = false,
    render = renderValue,
  }: { json?: boolean; render?: (value: unknown, paint: Paint) => string } = {},
): Promise<boolean> {
  const session = await openCodeSession()
  try {
    const answer = await session.call(tool, args)
    const failure = [answer]
      .flat()
      .find((item) => isObject(item) && ('error' in item || item['success'] === false))
    if (json) printJson(answer)
    else if (isObject(failure)) process.stderr.write(`${renderFailure(failure)}\n`)
    else process.stdout.write(`${render(answer, createPaint())}\n`)
    return failure === undefined
  } finally {
    await session.close()
  }
}

/** Renders a failure; that of a batch has no `error`, only a result for each item. */
function renderFailure(failure: JsonObject): string {
  const paint = createPaint(process.stderr)
  return 'error' in failure ? renderNote(failure, paint) : renderValue(failure, paint)
}
