import type { Vendor } from '../../contract/media-type.ts'
import type { Page } from './front.ts'

/** What the interface is, for people and for programs. Without a key: it says nothing that the package does not. */
export function documents(_of: { vendor: Vendor; basePath: string }): readonly Page[] {
  return []
}
