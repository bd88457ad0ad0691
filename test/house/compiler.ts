import { join } from 'node:path'

import { API } from 'typescript/unstable/sync'
import type { Project } from 'typescript/unstable/sync'

/**
 * Has the compiler read the sources. It is a process of its own, and its interface may change with its version. An older one in this
 * process takes three times as long.
 */
export function withSources<T>(root: string, use: (project: Project) => T): T {
  const compiler = new API({ cwd: root })
  try {
    const config = join(root, 'test/house/tsconfig.sources.json')
    const project = compiler.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (!project) throw new Error(`The compiler does not open ${config}.`)
    return use(project)
  } finally {
    compiler.close()
  }
}
