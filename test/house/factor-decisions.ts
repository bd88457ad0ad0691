import { join, relative } from 'node:path'

// The newest TypeScript has no JavaScript API.
import ts from 'typescript59'

import { Factor } from '../../src/contract/factor.ts'

const factors: ReadonlySet<string> = new Set(Factor.options)

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.webworker.d.ts'],
  types: ['node'],
  jsx: ts.JsxEmit.ReactJSX,
  jsxImportSource: 'preact',
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}

/**
 * Where the sources decide by the name of a factor: comparisons, cases, `includes`, arrays, and objects that the types allow to lack
 * one. By type, so that a word that means something else does not count. Exhaustive records are left out: the compiler names them.
 * @returns one line for each place, with the file and the code.
 */
export function factorDecisions(root: string): string[] {
  const program = ts.createProgram(ts.sys.readDirectory(join(root, 'src'), ['.ts', '.tsx']), compilerOptions)
  const checker = program.getTypeChecker()
  const decisions: string[] = []

  const isFactorType = (type: ts.Type | undefined): boolean => {
    const parts = type?.isUnion() ? type.types : type ? [type] : []
    const types = parts.filter(({ flags }) => (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) === 0)
    return types.length > 1 && types.every((part) => part.isStringLiteral() && factors.has(part.value))
  }
  const elementOf = (type: ts.Type | undefined) =>
    type && checker.getIndexTypeOfType(checker.getNonNullableType(type), ts.IndexKind.Number)
  const lacksNone = (type: ts.Type): boolean =>
    Factor.options.every((name) => {
      const property = type.getProperty(name)
      return property !== undefined && (property.flags & ts.SymbolFlags.Optional) === 0
    })

  /** Whether the node itself decides by the name of a factor. */
  function decides(node: ts.Node): boolean {
    if (ts.isBinaryExpression(node) && /^[!=]==?$/.test(node.operatorToken.getText())) {
      return isNamed(node.right) && isFactorType(checker.getTypeAtLocation(node.left))
    }
    if (ts.isCaseClause(node))
      return isNamed(node.expression) && isFactorType(checker.getTypeAtLocation(node.parent.parent.expression))
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression
      const asks = ['includes', 'indexOf', 'has'].includes(name.text) && node.arguments.some(isNamed)
      return asks && isFactorType(elementOf(checker.getTypeAtLocation(expression)))
    }
    if (ts.isArrayLiteralExpression(node)) {
      return node.elements.some(isNamed) && isFactorType(elementOf(checker.getContextualType(node)))
    }
    if (ts.isObjectLiteralExpression(node)) {
      // Looked at first, because the type of an argument is slow to find. An object of factors has no other members.
      const names = node.properties.flatMap(({ name }) => (name ? [name.getText()] : []))
      if (names.length === 0 || !names.every((name) => factors.has(name))) return false
      const type = checker.getContextualType(node)
      const properties = type?.getProperties() ?? []
      const ofFactors = properties.length > 1 && properties.every(({ name }) => factors.has(name))
      return type !== undefined && ofFactors && !lacksNone(type)
    }
    return false
  }

  for (const file of program.getSourceFiles()) {
    if (file.isDeclarationFile || !file.fileName.startsWith(join(root, 'src'))) continue
    const path = relative(root, file.fileName).replaceAll('\\', '/')
    const visit = (node: ts.Node): void => {
      if (decides(node)) decisions.push(`${path}: ${node.getText().replaceAll(/\s+/g, ' ')}`)
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return decisions.toSorted()
}

const isNamed = (node: ts.Node): boolean => ts.isStringLiteral(node) && factors.has(node.text)
