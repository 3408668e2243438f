import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import { isInside } from '../../../base/files/paths.ts'
import { findSourceAt } from '../../../storage/knowledge/sources.ts'
import { DocumentError } from '../documents/document-error.ts'
import { cloneRepository, isRepository } from '../sources/clone-repository.ts'
import { type CrawlMemory, type CrawlOptions, crawl, pageItem } from '../sources/crawl.ts'
import type { FetchOptions } from '../sources/fetch-url.ts'
import type { SkippedFile } from '../sources/list-files.ts'
import type { LoadedItem, SourceItem } from '../sources/source-item.ts'
import { walkFolder } from '../sources/walk-folder.ts'
import type { KnowledgeStore } from '../store/knowledge-store.ts'
import type { IngestOptions } from './ingest-options.ts'

export interface TargetAccess {
  readonly fetch: FetchOptions
  /** The folders that files may be read from; undefined means anywhere. */
  readonly folders?: readonly string[] | undefined
}

export interface ExpandedTarget {
  readonly items: Iterable<SourceItem> | AsyncIterable<SourceItem>
  /** The number of items, if it is known in advance. */
  readonly count?: number
  /** The path of the target, if it is a folder. */
  readonly folder?: string | undefined
  /** Files that are not documents. */
  readonly skipped?: readonly SkippedFile[]
  readonly close?: () => Promise<void>
}

/** Whether a target is on the network; any other is a path on this machine. */
export function isAddress(target: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(target)
}

/** Returns the documents of a target: a file, folder, repository, web page, or linked pages. */
export async function expandTarget(
  target: string,
  options: IngestOptions,
  access: TargetAccess,
  store: KnowledgeStore,
): Promise<ExpandedTarget> {
  if (isRepository(target)) {
    const { items, skipped, remove } = await cloneRepository(target, options, access.fetch)
    return { items, skipped, count: items.length, close: remove }
  }
  if (isAddress(target)) {
    const crawlOptions: CrawlOptions = { ...options, ...access }
    if (options.depth === 0) return { items: [pageItem(target, crawlOptions)], count: 1 }
    return { items: crawl(target, crawlOptions, memoryOf(store, options.collection)) }
  }
  const found = await walkFolder(await confined(target, access), options)
  return { ...found, count: found.items.length }
}

/** Returns the real path, with links resolved; throws if it is outside the allowed folders. */
async function confined(path: string, { folders }: TargetAccess): Promise<string> {
  if (!folders) return resolve(path)
  const full = await realPath(path)
  const allowed = await Promise.all(folders.map(realPath))
  if (allowed.some((folder) => isInside(full, folder))) return full
  throw new DocumentError(
    'blocked',
    `${path} is outside the folders that may be read`,
    `Allowed: ${folders.join(', ')}. PORTOLAN_KNOWLEDGE_FOLDERS names others.`,
  )
}

async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

const remembered = z.object({ links: z.array(z.string()).default([]) })

/** Returns the validators and links that an earlier crawl stored with each page. */
function memoryOf(store: KnowledgeStore, collection: string): CrawlMemory {
  return {
    async linksOf(item) {
      return item.format === 'html' ? linksOf(item) : []
    },
    async known(location) {
      const source = await findSourceAt(store.storage.db, collection, location)
      if (!source || source.deleted === 1 || source.status !== 'complete') return undefined
      const { links } = remembered.parse(JSON.parse(source.metadata_json))
      return {
        etag: source.etag ?? undefined,
        lastModified: source.last_modified ?? undefined,
        links,
      }
    },
  }
}

/** Returns the links of a page; of one that cannot be read, none: it fails as a document. */
async function linksOf({ name, bytes }: LoadedItem): Promise<readonly string[]> {
  const { readHtml } = await import('../documents/html/read-html.ts')
  const page = await readHtml({ name, bytes }).catch(() => undefined)
  return page?.links ?? []
}
