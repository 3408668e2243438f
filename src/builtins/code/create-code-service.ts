import { SERVER_NAME } from './cocosearch-names.ts'
import type { Service, ServiceContext } from '../../protocol/service.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { VERSION } from '../../base/version.ts'
import { modelBytesIfAny } from '../../search/embed/static/model-bytes.ts'
import { createService, type AnyTool } from '../kit/create-service.ts'
import { serveSkills, type OwnSkill } from '../kit/serve-skills.ts'
import { startThread } from '../../base/flow/start-thread.ts'
import { CodeThread, type ThreadSettings } from './code-thread.ts'
import { confine } from './tools/confine.ts'
import {
  type IndexRequest,
  answerIndexing,
  indexCodebaseTool,
} from './tools/indexing/index-codebase.ts'
import { type CodeServiceOptions, closeCodeDeps, createCodeDeps } from './create-code-deps.ts'
import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { packageFile } from '../../base/files/package-files.ts'
import { analyzeQueryTool } from './tools/search/analyze-query.ts'
import type { CodeDeps } from './tools/code-deps.ts'
import {
  batchDependenciesTool,
  batchImpactTool,
  fileDependenciesTool,
  fileImpactTool,
} from './tools/dependencies.ts'
import { indexStatsTool } from './tools/indexing/index-stats.ts'
import {
  clearIndexTool,
  listIndexesTool,
  openDashboardTool,
} from './tools/indexing/manage-indexes.ts'
import { searchCodeTool } from './tools/search/search-code.ts'
import { findReferencesTool } from './tools/find-references.ts'
import { findSymbolTool, outlineTool } from './tools/symbols.ts'

export const CODE_TOOLS: readonly AnyTool<CodeDeps>[] = [
  searchCodeTool,
  findSymbolTool,
  findReferencesTool,
  outlineTool,
  analyzeQueryTool,
  indexCodebaseTool,
  indexStatsTool,
  listIndexesTool,
  clearIndexTool,
  fileDependenciesTool,
  fileImpactTool,
  batchDependenciesTool,
  batchImpactTool,
  openDashboardTool,
]

/** The folder exists both beside the built code and beside the sources. */
const SKILLS = packageFile('assets/code-skills')

const INSTRUCTIONS =
  'Code search over the project you work in. Use search_code before Grep, find_symbol for a definition, find_references for its uses, get_file_impact before changing a file. If a project is not indexed yet, call index_codebase(path=".") once; after that the index keeps itself up to date.'

/** Creates the built-in code server. The first call starts the worker thread that does the work. */
export function createCodeService(options: CodeServiceOptions): Service {
  const listing = createLocalCodeService(options)
  const { home, freshnessBudgetMs, autoIndex, project, embedding, env = process.env } = options
  const settings: ThreadSettings = {
    home,
    freshnessBudgetMs,
    autoIndex,
    project,
    env: { ...env },
    embedding,
  }
  const thread = new CodeThread(
    // The first call starts the thread and reads the model, once for all threads.
    () =>
      startThread('builtins/code/code-worker', {
        workerData: { ...settings, modelBytes: modelBytesIfAny() },
      }),
    options.dashboardUrl ?? (() => undefined),
  )
  const service: Service = {
    ...listing,
    async handle(method, params, context) {
      return method === 'tools/call'
        ? thread.call(method, params, context)
        : listing.handle(method, params, context)
    },
    close: async () => thread.close(),
  }
  return serveSkills(service, [{ load: readCodeSkills }])
}

export interface LocalCodeService extends Service {
  /** Indexes as `index_codebase` does, with the options that only commands have. */
  index(request: IndexRequest, context: ServiceContext): Promise<JsonObject>
}

/** Creates the server in this thread, for the worker and for commands that answer once. */
export function createLocalCodeService(options: CodeServiceOptions): LocalCodeService {
  const deps = createCodeDeps(options)
  const service = createService({
    name: SERVER_NAME,
    version: options.version ?? VERSION,
    instructions: INSTRUCTIONS,
    tools: CODE_TOOLS,
    deps,
    close: async () => closeCodeDeps(deps),
  })
  return {
    ...service,
    handle: async (method, params, context) =>
      service.handle(method, params, confine(context, deps)),
    index: async (request, context) => answerIndexing(request, deps, context),
  }
}

/** Reads the skills that `portolan code init` writes, for clients that load them from a server. */
async function readCodeSkills(): Promise<OwnSkill[]> {
  const files = (await readdir(SKILLS)).toSorted()
  return Promise.all(
    files.map(async (file) => ({
      name: `${SERVER_NAME}-${basename(file, '.md')}`,
      text: await readFile(join(SKILLS, file), 'utf8'),
    })),
  )
}
