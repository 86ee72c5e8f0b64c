// Prints what npm's @withfig/autocomplete (MIT) says of a program's options as JSON: node fig.mjs BUILD-FOLDER NAME
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, name] = process.argv.slice(2);
const words = (value) => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
const isPath = (arg) =>
  words(arg?.template).some((each) => each === "filepaths" || each === "folders") ||
  words(arg?.generators).some((each) => each?.template && words(each.template).some((one) => one === "filepaths" || one === "folders"));

function option(one) {
  const args = words(one.args);
  const mark = args.length === 0 ? "" : args[0].isVariadic ? "*" : args[0].isOptional ? "?" : "=";
  return { names: words(one.name), takes: mark, path: args.some(isPath), about: one.description ?? "" };
}

function node(spec, depth) {
  return {
    names: words(spec.name),
    options: words(spec.options).map(option),
    persistent: words(spec.options).some((each) => each.isPersistent),
    commands: depth > 4 ? [] : words(spec.subcommands).map((each) => node(each, depth + 1)),
  };
}

const found = (await import(pathToFileURL(path.join(folder, `${name}.js`)))).default;
process.stdout.write(JSON.stringify(node(typeof found === "function" ? {} : found, 0)));
