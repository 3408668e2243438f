import { StatusError, withoutFailure } from './status-error.ts'
import { type CodeApi, bodyOf, needOperator, only, required } from './visit.ts'

const READ = { name: 'file_content', nearestTool: 'search_code' }
const EDIT = { name: 'open_in_editor', nearestTool: 'search_code' }

/** Routes that read files of indexed projects or open them in an editor. */
export function fileRoutes(api: CodeApi): void {
  api.get('/api/file-content', async (c) => {
    const path = required(c.req.query(), 'path')
    refuseTraversal(path)
    const { index } = c.req.query()
    const request = { path, ...(index && { index_name: index }) }
    return c.json(withoutFailure(await c.get('visit').operate(READ, request)))
  })
  api.post('/api/open-in-editor', async (c) => {
    const visit = needOperator(c)
    const body = await bodyOf(c)
    const path = required(body, 'path')
    refuseTraversal(path)
    return c.json(
      withoutFailure(await visit.operate(EDIT, { path, ...only(body, 'index_name', 'line') })),
    )
  })
}

/** Rejects `..` in paths: no legitimate client needs to leave a folder and enter it again. */
function refuseTraversal(path: string): void {
  if (path.split(/[/\\]/).includes('..') || path.includes('\0'))
    throw new StatusError(403, 'A path must not contain ..')
}
