import type { SettingTable } from '../../base/setting-table.ts'

/** The section `knowledge` of the settings. */
export const KNOWLEDGE_SETTINGS = {
  folders: {
    type: 'folders',
    text: 'Folders whose files agents may add; by default the one it was started in. Set it to where your documents are.',
  },
  hosts: {
    type: 'list',
    default: [],
    text: 'Private hosts that documents may be read from, such as a wiki of your own, as `host` or `host:port`.',
  },
  qdrantUrl: {
    type: 'url',
    variable: 'PORTOLAN_QDRANT_URL',
    text: 'Qdrant that stores the vectors, if you run one already; by default the database does.',
  },
  qdrantApiKey: {
    type: 'string',
    variable: 'PORTOLAN_QDRANT_API_KEY',
    text: 'Key for Qdrant, if yours asks for one.',
  },
  qdrantCollection: {
    type: 'string',
    variable: 'PORTOLAN_QDRANT_COLLECTION',
    default: 'se_knowledge_base',
    text: 'Collection in Qdrant, such as one per team in a shared Qdrant; the default is that of the original.',
  },
} as const satisfies SettingTable
