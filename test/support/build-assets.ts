import { buildAssets } from '../../scripts/assets.ts'

/** Generates the texts, and builds the script of the pages and the authenticator once, before the tests that serve them. */
export default async function setup(): Promise<void> {
  await buildAssets()
}
