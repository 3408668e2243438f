import { type KnowledgeDocument, blockText } from '../documents/document.ts'
import { standardMetadata } from '../documents/standard-metadata.ts'
import { DOCUMENT_TYPES, type IngestOptions } from './ingest-options.ts'

export interface Description {
  readonly title: string
  readonly documentType: string
  readonly wordCount: number
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Describes a document as a whole: its title, type, length, standard and other metadata. */
export function describeDocument(
  document: KnowledgeDocument,
  location: string,
  options: IngestOptions,
): Description {
  const title = options.title ?? document.title
  const standard = standardMetadata(title, fileName(location))
  return {
    title,
    documentType: options.documentType ?? ownType(document, options, title, standard !== undefined),
    wordCount: document.blocks.reduce((sum, block) => sum + words(blockText(block)), 0),
    metadata: {
      ...standard,
      ...(document.properties['version'] && { version: document.properties['version'] }),
      properties: document.properties,
      ...(document.links && { links: document.links }),
    },
  }
}

function ownType(
  { properties }: KnowledgeDocument,
  options: IngestOptions,
  title: string,
  isStandard: boolean,
): string {
  const declared = DOCUMENT_TYPES.find((type) => type === properties['type']?.toLowerCase())
  if (declared) return declared
  if (options.sourceType === 'standard' || isStandard) return 'standard'
  return DOCUMENT_TYPES.find((type) => new RegExp(`\\b${type}\\b`, 'i').test(title)) ?? 'custom'
}

function fileName(location: string): string {
  return location.split('/').at(-1) ?? location
}

function words(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
}
