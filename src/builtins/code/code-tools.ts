import type { AnyTool } from '../kit/create-service.ts'
import { analyzeQueryTool } from './tools/search/analyze-query.ts'
import type { CodeDeps } from './tools/code-deps.ts'
import {
  batchDependenciesTool,
  batchImpactTool,
  fileDependenciesTool,
  fileImpactTool,
} from './tools/dependencies.ts'
import { indexCodebaseTool } from './tools/indexing/index-codebase.ts'
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
