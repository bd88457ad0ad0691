/** What the recipe uses of AdminJS: an admin panel with resources, and the classes that adapters of databases extend. */
export default class AdminJS {
  readonly options: AdminOptions
  constructor(options: AdminOptions) {
    this.options = options
  }
}

export interface AdminOptions {
  readonly rootPath: string
  readonly resources: readonly Resource[]
  readonly assets: { readonly scripts: readonly string[] }
}

export interface Resource {
  find(): Promise<readonly { readonly params: unknown }[]>
  delete(id: string): Promise<unknown>
}

export class BaseProperty {
  readonly #path: string
  constructor({ path }: { path: string }) {
    this.#path = path
  }
  path = (): string => this.#path
}

export class BaseRecord {
  readonly params: unknown
  constructor(params: unknown) {
    this.params = params
  }
}

export class BaseResource {
  isResource = true
}
