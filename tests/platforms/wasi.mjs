// Runs a WebAssembly program that was built for WASI: node wasi.mjs PROGRAM [ARGUMENT]...
import { readFile } from 'node:fs/promises';
import { argv, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const system = new WASI({ version: 'preview1', args: argv.slice(2), env, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(await readFile(argv[2]), { wasi_snapshot_preview1: system.wasiImport });
exit(system.start(instance));
