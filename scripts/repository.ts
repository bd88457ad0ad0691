import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { root } from './run.ts'

const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { repository: { url: string } }

/** The address of the repository, as `package.json` says. */
export const repositoryAddress = repository.url.replace(/^git\+|\.git$/g, '')

/** Where its files can be read: documents of the package link there to what the package does not contain. */
export const filesAddress = `${repositoryAddress}/blob/main/`
