"""The public names of this package."""

from idealist.learn import tensors as tensors
from idealist.learn import trees as trees
from idealist.learn.models.bag import Bag as Bag
from idealist.learn.models.base import Model as Model
from idealist.learn.models.files import load_model as load_model
from idealist.learn.models.files import save_model as save_model
from idealist.learn.models.linear import Linear as Linear
from idealist.learn.models.trees import TreeEnsemble as TreeEnsemble
from idealist.learn.trainers.base import Trainer as Trainer
from idealist.learn.trainers.registry import trainer_named as trainer_named
from idealist.learn.trees.lambdas import LambdaObjective as LambdaObjective
