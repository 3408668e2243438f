import type { IncomingMessage } from 'node:http'
import type { ApiHost } from '../../kit/builtin-api.ts'
import { ApiProblem } from './api-problem.ts'
import type { Visit } from './visit.ts'

/** The visit of a request; what the gateway refuses becomes an answer of this API. */
export async function explainedVisit(request: IncomingMessage, host: ApiHost): Promise<Visit> {
  async function explained<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      const { status, message } = host.explain(error)
      throw new ApiProblem(status, message, error)
    }
  }
  const visit = await explained(async () => host.visit(request))
  return {
    role: visit.role,
    isLocal: visit.isLocal,
    permit: async (tool) => explained(async () => visit.permit(tool)),
    tool: async (name, args) => explained(async () => visit.tool(name, args)),
    operate: async (operation, asked, options) =>
      explained(async () => visit.operate(operation, asked, options)),
  }
}
