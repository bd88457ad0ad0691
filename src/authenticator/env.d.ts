interface ImportMetaEnv {
  /** Of the package this was built from. */
  readonly VERSION: string
}

interface ImportMeta {
  readonly env: ImportMetaEnv
}
