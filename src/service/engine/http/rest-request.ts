import type { Reader } from '../base/reader.ts'
import type { Body } from './body.ts'

/** A request, whatever brings it. */
export interface RestRequest extends Body {
  readonly method: string
  /** The path below the base path, with its query. */
  readonly url: string
  /** The whole path as its caller sees it, without the query. */
  readonly path: string
  readonly address: string | undefined
  readonly requestId: string | undefined
  readonly reader: Reader
  /** Whether the caller is gone, which a connection knows before its reader is closed. */
  readonly disconnected: () => boolean
}
