// Every option that npm takes, as its own configuration declares them: node npm.mjs FOLDER-OF-NPM
import { createRequire } from 'node:module'
import path from 'node:path'
const require = createRequire(path.join(process.argv[2], 'package.json'))
const { definitions, shorthands } = require('@npmcli/config/lib/definitions')
const { aliases, commands } = require('./lib/utils/cmd-list.js')
const dashed = name => (name.length === 1 ? '-' : '--') + name
const options = Object.entries(definitions).map(([name, { type }]) => {
  const types = Array.isArray(type) ? type.filter(one => one !== null && one !== Array) : [type]
  const flag = types.includes(Boolean)
  const takes = flag ? (types.length > 1 ? '~' : '') : '='
  const same = Object.keys(shorthands).filter(one => String(shorthands[one]) === `--${name}`)
  return { names: [`--${name}`, ...same.map(dashed)], takes, path: types.includes(path) }
})
for (const [name, words] of Object.entries(shorthands)) {
  if (!options.some(one => one.names.includes(String(words)))) {
    options.push({ names: [dashed(name)], takes: '', path: false })
  }
}
for (const { names: [name], takes } of [...options]) {
  if (takes !== '=' && name.startsWith('--')) {
    options.push({ names: [`--no-${name.slice(2)}`], takes: '', path: false })
  }
}
const others = name => Object.keys(aliases).filter(one => aliases[one] === name)
const version = require('./package.json').version
const below = commands.map(name => [name, ...others(name)])
console.log(JSON.stringify({ version, options, commands: below }))
