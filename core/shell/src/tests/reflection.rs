//! Code within a command that finds what it calls by a name, or makes processes without end.

use super::corpus::{strict, workspace};
use crate::{Decision, Env, check};

/// What the code does cannot be told, or is harm: `Z` stands for `rm -rf ~`.
const FOUND_BY_NAME: &[&str] = &[
    "node -e \"this.constructor.constructor('return process')().exit()\"",
    "node -e \"this.constructor.constructor('return process')().mainModule.require('child_process').execSync('Z')\"",
    "node -e \"[].constructor.constructor('return this')()\"",
    "node -e \"''.constructor.constructor('return this')()\"",
    "node -e \"(()=>{}).constructor('return process')()\"",
    "node -e \"const c='constr'+'uctor';[][c][c]('return 1')()\"",
    "node -e \"[]['filter']['constructor']('return process')()\"",
    "node -e \"Object.getPrototypeOf(async function(){}).constructor('x')()\"",
    "node -e \"new Function('return process')().exit()\"",
    "node -e \"Reflect.construct(Function,['return process'])()\"",
    "node -e \"Reflect.apply(eval,null,['1'])\"",
    "node -e \"Reflect.get(globalThis,'ev'+'al')('1')\"",
    "node -e \"globalThis['ev'+'al'](process.argv[1])\"",
    "node -e \"Object.values(require('child_process'))[0]('Z')\"",
    "node -e \"Object.entries(process).find(x=>x[0]=='kill')[1](1)\"",
    "node -e \"Object.getOwnPropertyDescriptor(globalThis,'eval').value('1')\"",
    "python3 -c \"print(().__class__.__base__.__subclasses__())\"",
    "python3 -c \"().__class__.__mro__[1].__subclasses__()[104]().load_module('os').system('Z')\"",
    "python3 -c \"getattr(__builtins__,'ev'+'al')('1')\"",
    "python3 -c \"import sys; getattr(__builtins__,sys.argv[1])('1')\"",
    "python3 -c \"print.__self__.eval('1')\"",
    "python3 -c \"import os; vars(os)['system']('Z')\"",
    "python3 -c \"import os,operator; operator.methodcaller('system','Z')(os)\"",
    "python3 -c \"import gc; gc.get_objects()[0]('x')\"",
    "python3 -c \"type(lambda:0)(compile('1','','exec'),{})()\"",
    "python3 -c \"import cProfile; cProfile.run('import os; os.system(\\\"Z\\\")')\"",
    "python3 -c 'breakpoint()'",
    "ruby -e 'Object.const_get(:Kernel).send(:system,\"Z\")'",
    "ruby -e 'Kernel.send(ARGV[0],\"Z\")'",
    "ruby -e 'Kernel.method(ARGV[0]).call(\"Z\")'",
    "ruby -e 'Object.const_get(ARGV[0]).new(\"x\")'",
    "ruby -e 'Kernel.instance_method(:system).bind(self).call(\"Z\")'",
    "ruby -e 'File.send(:delete,\"/etc/passwd\")'",
    "ruby -e 'ObjectSpace.each_object(Class).first.new'",
    "perl -e '&{\"File::Path::rmtree\"}(\"/x\")'",
    "perl -e '&{$ARGV[0]}(\"x\")'",
    "perl -e '$f=$ARGV[0]; $f->(\"x\")'",
    "perl -e '&$f(\"x\")'",
    "perl -e '\"File::Path\"->can(\"rmtree\")->(\"/x\")'",
    "perl -e '$m=shift; main->$m(\"x\")'",
    "perl -e '*x=\\&{\"CORE::system\"}; x(\"Z\")'",
    "php -r '$f=$argv[1]; $f(\"x\");'",
    "php -r '$argv[1](\"x\");'",
    "php -r 'array_map($argv[1],[\"x\"]);'",
    "php -r 'ob_start(\"system\"); echo \"Z\"; ob_end_flush();'",
    "php -r '(new ReflectionFunction(\"system\"))->invoke(\"Z\");'",
    "php -r '$o=new $argv[1]; $o->x();'",
    "php -r '$a=\"b\"; $$a=\"system\"; $b(\"Z\");'",
    "php -r 'call_user_func($argv[1],\"x\");'",
    "lua -e 'for k,v in pairs(os) do if k==\"execute\" then v(\"Z\") end end'",
    "lua -e '_G[arg[1]](\"x\")'",
];

/// Code that makes processes of itself until nothing is left.
const BOMBS: &[&str] = &[
    "perl -e 'fork while fork'",
    "perl -e 'while(1){fork()}'",
    "perl -MPOSIX -e 'for(;;){fork}'",
    "perl -e 'fork until 0'",
    "python3 -c 'import os\nwhile True: os.fork()'",
    "python3 -c 'from os import fork as f\nwhile 1: f()'",
    "python3 -c 'import os\ndef f():\n  os.fork()\n  f()\nf()'",
    "ruby -e 'fork while fork'",
    "ruby -e 'loop { fork }'",
    "ruby -e 'loop do Process.fork; end'",
    "php -r 'while(1){pcntl_fork();}'",
    "php -r 'for(;;) pcntl_fork();'",
];

/// The same some times, or with other programs.
const MANY: &[&str] = &[
    "perl -e 'fork() for 1..9999'",
    "perl -e 'fork;fork;fork;fork;fork;fork'",
    "python3 -c 'import os; [os.fork() for _ in iter(int,1)]'",
    "ruby -e '9999.times { fork }'",
    "python3 -c 'import multiprocessing as m\nwhile 1: m.Process(target=print).start()'",
    "python3 -c 'import subprocess\nwhile True: subprocess.Popen([\"sleep\",\"9\"])'",
    "node -e 'while(1) require(\"child_process\").spawn(\"sleep\",[\"9\"])'",
    "node -e 'setInterval(()=>require(\"child_process\").fork(\"x.js\"),1)'",
    "node -e 'function f(){require(\"child_process\").spawn(\"true\");setImmediate(f)};f()'",
];

/// What such code looks like where it is none.
const ORDINARY: &[&str] = &[
    "node -e 'class A{constructor(x){this.x=x}}; console.log(new A(1).constructor.name)'",
    "node -p 'Object.keys(require(\"fs\")).join()'",
    "node -e 'const o={a(){return 1}}; for(const k in o) console.log(o[k]())'",
    "node -e 'setTimeout(()=>console.log(1),10)'",
    "node -e 'require(\"child_process\").spawn(\"ls\")'",
    "python3 -c 'class A: pass\nprint(A().__class__.__name__)'",
    "python3 -c 'print(getattr(str,\"upper\")(\"x\"))'",
    "python3 -c 'import os; print(dir(os))'",
    "python3 -c 'import inspect,json; print(inspect.getsource(json.dumps))'",
    "python3 -c 'import timeit; print(timeit.timeit(\"sum(range(100))\", number=9))'",
    "python3 -c 'while True:\n  break'",
    "python3 -c 'import os\npid=os.fork()\nif pid: os.wait()'",
    "ruby -e 'puts \"abc\".send(:upcase)'",
    "ruby -e '3.times { |i| puts i }'",
    "perl -e 'my $f = sub { $_[0]*2 }; print $f->(3)'",
    "perl -e 'my $o = {a=>[1,2]}; print $o->{a}->[1], 6 & 3, scalar @{[1,2]}'",
    "perl -e 'if (fork) { wait } else { exit }'",
    "php -r '$f=function($x){return $x;}; echo $f(1);'",
    "php -r 'echo array_sum(array_map(\"intval\",[\"1\",\"2\"]));'",
    "lua -e 'for k,v in pairs({1,2}) do print(k,v) end'",
];

fn verdicts(command: &str) -> [Decision; 2] {
    let command = command.replace('Z', "rm -rf ~");
    [strict(), workspace()].map(|settings| check(&command, &Env::default(), &settings).verdict)
}

fn those(commands: &[&'static str], holds: impl Fn(Decision) -> bool) -> Vec<&'static str> {
    let miss = |command: &&&str| !verdicts(command).into_iter().all(&holds);
    commands.iter().filter(miss).copied().collect()
}

#[test]
fn code_that_finds_what_it_calls_by_a_name_is_never_allowed() {
    assert_eq!(those(FOUND_BY_NAME, |decision| decision > Decision::Allow), <[&str; 0]>::default());
}

#[test]
fn code_that_forks_without_end_is_denied_and_in_a_loop_never_allowed() {
    assert_eq!(those(BOMBS, |decision| decision == Decision::Deny), <[&str; 0]>::default());
    assert_eq!(those(MANY, |decision| decision > Decision::Allow), <[&str; 0]>::default());
}

#[test]
fn ordinary_code_of_the_same_kind_is_allowed() {
    assert_eq!(those(ORDINARY, |decision| decision == Decision::Allow), <[&str; 0]>::default());
}
