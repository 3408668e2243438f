import type { SettingTable } from '../../base/setting-table.ts'

/** The section `code` of the settings: of the server. Those of a project are in its cocosearch.yaml. */
export const CODE_SETTINGS = {
  folders: {
    type: 'folders',
    text: 'Folders that clients over HTTP, SSE and WebSocket may read; the project it was started in when absent.',
  },
  autoIndex: {
    type: 'boolean',
    text: 'Whether a project is indexed by its first search; when absent, only where no server is configured at all.',
  },
  projectsDir: {
    type: 'string',
    variable: 'COCOSEARCH_PROJECTS_DIR',
    text: 'A folder of projects; clients over the network may read it too.',
  },
  editor: {
    type: 'string',
    variable: 'COCOSEARCH_EDITOR',
    text: 'Editor that files are opened in from the dashboard; EDITOR or VISUAL when absent.',
  },
  logFile: {
    type: 'string',
    variable: 'COCOSEARCH_LOG_FILE',
    text: 'File for the log of code search that is served by itself, or `true` for the usual one; commands of `portolan code` look at the variable only. In a gateway every search is in the audit record.',
  },
} as const satisfies SettingTable
